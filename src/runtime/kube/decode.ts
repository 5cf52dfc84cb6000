/**
 * Reads answers as objects and pages. The server vouches for their shape; here only what everything relies on is checked.
 * Lists and watches lose their managedFields: nothing here reads them, and they are more than half of what a cache would
 * hold. A server takes an object that comes back without them as one whose managers have not changed.
 */
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

export function objectOf<T extends KubeObject>(resource: Resource<T>, { body }: KubeResponse): T {
  if (isObject(resource, body)) return body;
  throw new TransportError('unreadable', 'the answer is not a Kubernetes object');
}

/** Items of built-in kinds carry neither kind nor version, so they are given the ones that were asked for. */
export function pageOf<T extends KubeObject>(resource: Resource<T>, { body }: KubeResponse): Page<T> {
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { items, metadata } = fieldsOf(body);
  const { resourceVersion, continue: next } = fieldsOf(metadata);
  if (!Array.isArray(items) && items !== null)
    throw new TransportError('unreadable', 'the answer is not a list of Kubernetes objects');
  const objects = (items ?? []).map((item: unknown) => ({ ...type, ...lean(item) }));
  if (typeof resourceVersion !== 'string' || !areObjects(resource, objects))
    throw new TransportError('unreadable', 'the list holds something that is no Kubernetes object');
  return { items: objects, resourceVersion, continue: typeof next === 'string' ? next : '' };
}

export function eventOf<T extends KubeObject>(
  resource: Resource<T>,
  value: unknown,
): WatchEvent<T> | WatchFailure {
  const { type, object } = fieldsOf(value);
  if (type === 'ERROR') {
    const { code } = fieldsOf(object);
    return { type, response: { status: typeof code === 'number' ? code : 500, body: object } };
  }
  const kept = lean(object);
  if (isEventType(type) && isObject(resource, kept)) return { type, object: kept };
  throw new TransportError('unreadable', 'the watch said something that is no event');
}

function lean(value: unknown): Readonly<Record<string, unknown>> {
  const object = fieldsOf(value);
  const { managedFields, ...metadata } = fieldsOf(object['metadata']);
  return managedFields === undefined ? object : { ...object, metadata };
}

function isEventType(type: unknown): type is WatchEvent<unknown>['type'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
}

function areObjects<T extends KubeObject>(
  resource: Resource<T>,
  items: readonly unknown[],
): items is readonly T[] {
  return items.every((item) => isObject(resource, item));
}

/** A bookmark has no name, only a revision. */
function isObject<T extends KubeObject>(_resource: Resource<T>, value: unknown): value is T {
  const { metadata } = fieldsOf(value);
  return typeof fieldsOf(metadata)['resourceVersion'] === 'string';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
