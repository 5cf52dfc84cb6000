/**
 * Reads answers as objects and pages. That an answer is about what was asked for is checked: whoever sits between us and
 * the server may answer with something else, and an empty list of another kind would read as the end of everything. For
 * the fields of a kind the server vouches.
 *
 * Lists and watches lose their managedFields: nothing here reads them, and they are more than half of what a cache would
 * hold. A server takes an object that comes back without them as one whose managers have not changed.
 */
import { fieldsOf, type Fields } from './fields.ts';
import { TransportError, type KubeResponse } from './transport.ts';
import { apiVersionOf, type KubeObject, type Resource } from './kube-object.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly continue: string;
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** What the server says instead of an event when the watch cannot go on. */
export interface WatchFailure {
  readonly type: 'ERROR';
  readonly response: KubeResponse;
}

/** Which object or objects an answer must be about; whatever is not given may be any. */
export interface About {
  readonly name?: string | undefined;
  /** The server chose the rest of the name. */
  readonly namePrefix?: string | undefined;
  readonly namespace?: string | undefined;
}

export function objectOf<T extends KubeObject>(resource: Resource<T>, body: unknown, about: About): T {
  if (isWhole(resource, body) && isAbout(body, about)) return body;
  throw unreadable(`the answer is not the ${resource.kind} that was asked for`);
}

/** Items of built-in kinds carry neither kind nor version, so they are given the ones that were asked for. */
export function pageOf<T extends KubeObject>(resource: Resource<T>, body: unknown, about: About): Page<T> {
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { apiVersion, kind, items, metadata } = fieldsOf(body);
  const { resourceVersion, continue: next } = fieldsOf(metadata);
  const isList = kind === `${type.kind}List` && apiVersion === type.apiVersion;
  if (!isList || !isText(resourceVersion) || (!Array.isArray(items) && items !== null))
    throw unreadable(`the answer is not a list of ${resource.plural}`);
  const objects: readonly unknown[] = (items ?? []).map((item: unknown) => ({ ...type, ...lean(item) }));
  if (!areWhole(resource, objects) || !objects.every((object) => isAbout(object, about)))
    throw unreadable(`the list holds something that is none of the ${resource.plural} asked for`);
  return { items: objects, resourceVersion, continue: typeof next === 'string' ? next : '' };
}

export function eventOf<T extends KubeObject>(
  resource: Resource<T>,
  value: unknown,
  about: About,
): WatchEvent<T> | WatchFailure {
  const { type, object } = fieldsOf(value);
  if (type === 'ERROR') {
    const { code } = fieldsOf(object);
    return { type, response: { status: typeof code === 'number' ? code : 500, body: object } };
  }
  const kept = lean(object);
  // A bookmark has no name, only a revision.
  if (type === 'BOOKMARK' && isOfKind(resource, kept)) return { type, object: kept };
  if (isChangeType(type) && isWhole(resource, kept) && isAbout(kept, about)) return { type, object: kept };
  throw unreadable('the watch said something that is no event of what is watched');
}

/**
 * A deletion is confirmed by a Status, or by the object as it was last seen. One that somebody else took away at the same
 * moment comes without a revision: it was never stored like that.
 */
export function isDeletion(resource: Resource, body: unknown, about: About): boolean {
  const { apiVersion, kind, status, metadata } = fieldsOf(body);
  if (kind === 'Status') return status === 'Success';
  const { name, namespace, uid } = fieldsOf(metadata);
  const isOurs = kind === resource.kind && apiVersion === apiVersionOf(resource) && isText(uid);
  return isOurs && name === about.name && namespace === about.namespace;
}

function lean(value: unknown): Fields {
  const object = fieldsOf(value);
  const { managedFields, ...metadata } = fieldsOf(object['metadata']);
  return managedFields === undefined ? object : { ...object, metadata };
}

function isChangeType(type: unknown): type is 'ADDED' | 'MODIFIED' | 'DELETED' {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

function areWhole<T extends KubeObject>(
  resource: Resource<T>,
  items: readonly unknown[],
): items is readonly T[] {
  return items.every((item) => isWhole(resource, item));
}

/** What every stored object has. */
function isWhole<T extends KubeObject>(resource: Resource<T>, value: unknown): value is T {
  const { name, namespace, uid } = fieldsOf(fieldsOf(value)['metadata']);
  const isPlaced = resource.namespaced ? isText(namespace) : namespace === undefined;
  return isOfKind(resource, value) && isText(name) && isText(uid) && isPlaced;
}

function isOfKind<T extends KubeObject>(resource: Resource<T>, value: unknown): value is T {
  const { apiVersion, kind, metadata } = fieldsOf(value);
  const isOurs = kind === resource.kind && apiVersion === apiVersionOf(resource);
  return isOurs && isText(fieldsOf(metadata)['resourceVersion']);
}

function isAbout({ metadata }: KubeObject, { name, namePrefix = '', namespace }: About): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false;
  return name === undefined ? metadata.name.startsWith(namePrefix) : metadata.name === name;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function unreadable(message: string): TransportError {
  return new TransportError('unreadable', message);
}
