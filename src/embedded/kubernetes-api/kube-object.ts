/** The common part of all objects, with typed accessors. */
import { isJsonObject, type Json, type JsonObject } from './json.ts';

export interface ObjectMeta extends JsonObject {
  readonly name: string;
}

/** A decoded object with kind, version, and metadata with a name. */
export interface KubeObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export function textAt(meta: Changes, key: string): string | undefined {
  const value = meta[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(meta: JsonObject, key: string): number | undefined {
  const value = meta[key];
  return typeof value === 'number' ? value : undefined;
}

export function namespaceOf(object: KubeObject): string {
  return textAt(object.metadata, 'namespace') ?? '';
}

export function finalizersOf(object: KubeObject): readonly string[] {
  const value = object.metadata['finalizers'];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

export function isDeleting(object: KubeObject): boolean {
  return object.metadata['deletionTimestamp'] !== undefined;
}

/**
 * The grace period is over, so the object is deleted once no finalizer holds it. Only Pods on a Node have a grace
 * period.
 */
export function isOutOfTime(object: KubeObject): boolean {
  return isDeleting(object) && (numberAt(object.metadata, 'deletionGracePeriodSeconds') ?? 0) === 0;
}

export function labelsOf(object: KubeObject): JsonObject {
  const labels = object.metadata['labels'];
  return isJsonObject(labels) ? labels : {};
}

/** The fields of `value` with kind, version and metadata of `from`, which pruning and defaulting must not change. */
export function asObject(value: Json, from: KubeObject): KubeObject {
  const fields = isJsonObject(value) ? value : {};
  return { ...fields, apiVersion: from.apiVersion, kind: from.kind, metadata: from.metadata };
}

type Changes = Readonly<Record<string, Json | undefined>>;

/** A copy whose metadata has these values; `undefined` removes a key. */
export function withMeta(object: KubeObject, changes: Changes): KubeObject {
  return {
    ...object,
    metadata: { ...changed(object.metadata, changes), name: textAt(changes, 'name') ?? object.metadata.name },
  };
}

/** The same for the top-level fields except metadata. */
export function withFields(object: KubeObject, changes: Changes): KubeObject {
  const { apiVersion, kind, metadata } = object;
  return { ...changed(object, changes), apiVersion, kind, metadata };
}

function changed(object: JsonObject, changes: Changes): JsonObject {
  const kept = Object.entries(object).filter(([key]) => !Object.hasOwn(changes, key));
  const set = Object.entries(changes).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return Object.fromEntries([...kept, ...set]);
}
