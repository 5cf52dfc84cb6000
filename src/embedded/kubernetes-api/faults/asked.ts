/** The attributes of a request that rules match. */
import type { ApiRequest } from '../request.ts';
import { placeOf } from '../object-path.ts';
import { verbOf, type Verb } from '../verb.ts';

export interface Asked {
  readonly verb: Verb;
  /** As kubectl names it: `pods`, `leases.coordination.k8s.io`. Empty for paths about the server itself. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
}

export function askedOf(request: ApiRequest): Asked {
  const place = placeOf(request.path);
  const { group = '', plural = '', namespace = '', name = '' } = place ?? {};
  return {
    verb: verbOf(request, place === undefined || name !== ''),
    resource: group === '' ? plural : `${plural}.${group}`,
    namespace,
    name: name === '' ? nameInBody(request) : name,
    userAgent: request.userAgent ?? '',
  };
}

/** A create names its object in the body only. */
function nameInBody({ method, body }: ApiRequest): string {
  if (method !== 'POST' || typeof body !== 'object' || body === null) return '';
  const metadata: unknown = Reflect.get(body, 'metadata');
  const name: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'name') : '';
  return typeof name === 'string' ? name : '';
}
