/**
 * Decodes answers as objects and pages, and checks that an answer is about the requested object. A proxy may answer
 * with something else, and an empty list of another kind would look as if all objects were gone. The fields of a kind
 * are trusted to the server.
 *
 * Lists and watches drop managedFields: no code reads them, and they would be more than half of a cache. A server
 * reads an object without managedFields as unchanged managers.
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

/** The error that the server sends in place of an event when the watch cannot go on. */
export interface WatchFailure {
  readonly type: 'ERROR';
  readonly response: KubeResponse;
}

/** The object or objects that an answer must be about; omitted fields may have any value. */
export interface About {
  readonly name?: string | undefined;
  /** The server chose the rest of the name. */
  readonly namePrefix?: string | undefined;
  readonly namespace?: string | undefined;
}

export function objectOf<T extends KubeObject>(resource: Resource<T>, body: unknown, about: About): T {
  if (isWhole(resource, body) && isAbout(body, about)) return body;
  throw unreadable(`the answer is not the requested ${resource.kind}`);
}

/** Items of built-in kinds carry neither kind nor version, so they get those of the request. */
export function pageOf<T extends KubeObject>(resource: Resource<T>, body: unknown, about: About): Page<T> {
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { apiVersion, kind, items, metadata } = fieldsOf(body);
  const { resourceVersion, continue: next } = fieldsOf(metadata);
  const isList = kind === `${type.kind}List` && apiVersion === type.apiVersion;
  if (!isList || !isText(resourceVersion) || (!Array.isArray(items) && items !== null))
    throw unreadable(`the answer is not a list of ${resource.plural}`);
  const objects: readonly unknown[] = (items ?? []).map((item: unknown) => ({ ...type, ...lean(item) }));
  if (!areWhole(resource, objects) || !objects.every((object) => isAbout(object, about)))
    throw unreadable(`the list contains an item that is not one of the requested ${resource.plural}`);
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
  throw unreadable('the watch sent something that is not an event of the watched resource');
}

/**
 * A deletion is confirmed by a Status, or by the last state of the object. An object that was removed concurrently
 * comes without a revision, because that state was never stored.
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

/** Fields that every stored object has. */
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
