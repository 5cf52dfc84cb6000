/**
 * What a request is about, as roles speak of it. It is read from the path alone, before anybody knows whether such a
 * resource exists: who may not ask is not told.
 */
import { placeIn, type Place } from '../place.ts';
import type { ApiRequest } from '../request.ts';

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
  const place = placeIn(head.path);
  if (place === undefined) return { verb: head.method.toLowerCase(), path: head.path };
  const { group, version, segments } = place;
  const [resource = '', name = '', ...below] = segments;
  return {
    verb: verbOf(head, name !== ''),
    group,
    version,
    resource,
    subresource: below.join('/'),
    namespace: place.namespace ?? ownNamespace(place),
    name: name === '' ? selectedName(head) : name,
  };
}

/** A namespace is inside itself: a role in it may speak of it. */
function ownNamespace({ group, segments }: Place): string {
  const [resource, name = ''] = segments;
  return group === '' && resource === 'namespaces' ? name : '';
}

function verbOf({ method, query }: Head, isNamed: boolean): string {
  switch (method) {
    case 'GET':
      if (isTrue(query['watch'])) return 'watch';
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

export function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1';
}

/** A list of the one object of a name is a question about that object. */
function selectedName({ method, query }: Head): string {
  if (method === 'POST') return '';
  const terms = (query['fieldSelector'] ?? '').split(',');
  const matches = terms.map((term) => /^metadata\.name==?(.+)$/.exec(term.trim()));
  return matches.find((match) => match !== null)?.[1] ?? '';
}
