/** What can be done with a resource, and which of it a request wants: roles, faults and discovery speak in these words. */
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

/** `isNamed`: it is about one object, not about all of them. */
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
