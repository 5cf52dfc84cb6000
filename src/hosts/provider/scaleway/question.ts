/** Describes each request for the classification of its answer. */
import { isWrite, type ApiRequest } from './api-request.ts';
import type { Question } from './reply.ts';

export function questionOf(request: ApiRequest): Question {
  const id = 'id' in request ? ` ${request.id}` : '';
  const zone = 'zone' in request ? ` in ${request.zone}` : '';
  return {
    doing: `${request.what}${id}${zone}`,
    isWrite: isWrite(request),
    target: 'id' in request || request.what === 'create key' ? 'one' : 'many',
    isDelete: request.what === 'delete server',
    namesImage: request.what === 'reinstall server',
  };
}
