/**
 * What a request is about, as roles speak of it. It is read from the path alone, before anybody knows whether such a
 * resource exists: who may not ask is not told.
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
  /** Empty for what lives outside namespaces, and for all of them. */
  readonly namespace: string;
  /** Empty where a request is about no single object. */
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

/** A namespace is inside itself: a role in it may speak of it. */
function ownNamespace({ group, plural, name = '' }: Place): string {
  return group === '' && plural === 'namespaces' ? name : '';
}

/** A list of the one object of a name is a question about that object. */
function selectedName({ method, query }: Head): string {
  if (method === 'POST') return '';
  const terms = (query['fieldSelector'] ?? '').split(',');
  const matches = terms.map((term) => /^metadata\.name==?(.+)$/.exec(term.trim()));
  return matches.find((match) => match !== null)?.[1] ?? '';
}
