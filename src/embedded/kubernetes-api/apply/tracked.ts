/** The part of an object whose fields have owners. Server-managed fields have no owner. */
import { isJsonObject, without, type Json, type JsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { nodeOf, mapped, below, type FieldSet } from './field-set.ts';

const unownedMeta = [
  'name',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
];

/** With a status subresource, each path tracks only the fields that it may write. */
export type Part = 'whole' | 'all but status' | 'all but spec' | 'status';

export function trackedPart(object: JsonObject, part: Part): JsonObject {
  if (part === 'status') return object['status'] === undefined ? {} : { status: object['status'] };
  const { metadata } = object;
  const owned = isJsonObject(metadata) ? without(metadata, ...unownedMeta) : {};
  const rest = without(object, 'apiVersion', 'kind', 'metadata', ...leftOut(part));
  return Object.keys(owned).length > 0 ? { metadata: owned, ...rest } : rest;
}

function leftOut(part: Part): readonly string[] {
  if (part === 'whole') return [];
  return [part === 'all but spec' ? 'spec' : 'status'];
}

/** Replaces the tracked part of the object; fields without owners stay unchanged. */
export function withTrackedPart(object: KubeObject, part: Part, tracked: Json): JsonObject {
  const fields = isJsonObject(tracked) ? tracked : {};
  if (part === 'status') return { ...without(object, 'status'), ...fields };
  const kept = Object.entries(object.metadata).filter(([key]) => unownedMeta.includes(key));
  const { metadata } = fields;
  const untouched = leftOut(part).flatMap((name) => {
    const value = object[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...fields,
    ...Object.fromEntries(untouched),
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { ...(isJsonObject(metadata) ? metadata : {}), ...Object.fromEntries(kept) },
  };
}

/** The field `metadata` itself has no owner. */
export function withoutParents(fields: FieldSet): FieldSet {
  return mapped(fields, (element, node) => (element === 'f:metadata' ? nodeOf(false, below(node)) : node));
}
