/** The verbs of resources, for roles, faults and discovery, and the verb of a request. */
import { isWatch, type ApiRequest } from './request.ts';

export const verbs = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
] as const;
export type Verb = (typeof verbs)[number];

/** `isNamed`: the request is about one object. */
export function verbOf(request: Pick<ApiRequest, 'method' | 'query'>, isNamed: boolean): Verb {
  switch (request.method) {
    case 'GET':
      if (isWatch(request)) return 'watch';
      return isNamed ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return isNamed ? 'delete' : 'deletecollection';
  }
}
