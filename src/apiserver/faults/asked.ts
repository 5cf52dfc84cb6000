/** What a request wants, in the words by which rules pick requests. */
import { isWatch, type ApiRequest } from '../request.ts';
import { placeOf } from '../place.ts';

export const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
] as const;
export type Verb = (typeof verbs)[number];

export interface Asked {
  readonly verb: Verb;
  /** As kubectl names it: `pods`, `leases.coordination.k8s.io`. Empty for what is about the server itself. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
}

export function askedOf(request: ApiRequest): Asked {
  const place = placeOf(request.path);
  const { group = '', plural = '', namespace = '', name = '' } = place ?? {};
  return {
    verb: verbOf(request, place !== undefined && name === ''),
    resource: group === '' ? plural : `${plural}.${group}`,
    namespace,
    name: name === '' ? nameInBody(request) : name,
    userAgent: request.userAgent ?? '',
  };
}

function verbOf(request: ApiRequest, isCollection: boolean): Verb {
  switch (request.method) {
    case 'GET':
      if (isWatch(request)) return 'watch';
      return isCollection ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return isCollection ? 'deletecollection' : 'delete';
  }
}

/** A create names its object in the body only. */
function nameInBody({ method, body }: ApiRequest): string {
  if (method !== 'POST' || typeof body !== 'object' || body === null) return '';
  const metadata: unknown = Reflect.get(body, 'metadata');
  const name: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'name') : '';
  return typeof name === 'string' ? name : '';
}
