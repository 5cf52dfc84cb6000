/**
 * The RBAC attributes of a request, from the path alone. Authorization comes before the lookup of the resource, so an
 * unauthorized caller does not learn whether it exists.
 */
import { placeOf, type Place } from '../object-path.ts';
import type { ApiRequest } from '../request.ts';
import { verbOf } from '../verb.ts';

export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string;
  /** Empty for a request about several objects. */
  readonly name: string;
}

export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

export type Attributes = ResourceAttributes | PathAttributes;

export function isAboutResource(attributes: Attributes): attributes is ResourceAttributes {
  return 'resource' in attributes;
}

type Head = Pick<ApiRequest, 'method' | 'path' | 'query'>;

export function attributesOf(head: Head): Attributes {
  const place = placeOf(head.path);
  if (place === undefined) return { verb: head.method.toLowerCase(), path: head.path };
  const { group, version, plural: resource, name, subresource = '' } = place;
  return {
    verb: verbOf(head, name !== undefined),
    group,
    version,
    resource,
    subresource,
    namespace: place.namespace ?? ownNamespace(place),
    name: name ?? selectedName(head),
  };
}

/** A namespace counts as inside itself, so a role in it may cover it. */
function ownNamespace({ group, plural, name = '' }: Place): string {
  return group === '' && plural === 'namespaces' ? name : '';
}

/** A list with a field selector on the name is a request for that object. */
function selectedName({ method, query }: Head): string {
  if (method === 'POST') return '';
  const terms = (query['fieldSelector'] ?? '').split(',');
  const matches = terms.map((term) => /^metadata\.name==?(.+)$/.exec(term.trim()));
  return matches.find((match) => match !== null)?.[1] ?? '';
}
