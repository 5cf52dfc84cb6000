/** The managedFields of an object after a write, for the verbs. */
import { without, type Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { timestamp, type Call } from '../verbs/call.ts';
import { difference, hasPath, isEmptySet, pathSet } from './field-set.ts';
import { hasWrongTypes } from './type-errors.ts';
import { fieldElement, UntrackableItem } from './list-element.ts';
import { managerName } from './manager-name.ts';
import {
  isReset,
  managedFieldsOf,
  ownerKey,
  ownersIn,
  type Operation,
  type Owners,
  type Writer,
} from './managers.ts';
import { mergeTypeOf } from './merge-type.ts';
import type { TypeIn } from './ownership.ts';
import { recordUpdate } from './record-update.ts';
import { trackedPart, type Part } from './tracked.ts';

const noOwners: Owners = new Map();

interface Write {
  readonly old: KubeObject | undefined;
  readonly next: KubeObject;
  /** The list that the client sent. */
  readonly sent: Json | undefined;
}

/** After a create, an update or a patch that brought `old` to `next`. */
export function trackUpdate(call: Call, { old, next, sent }: Write): Json | undefined {
  const owners = ownersBefore(call, old, sent);
  if (isMistyped(call, next)) return undefined;
  // After the list was cleared, the owners stay unknown until the next apply.
  if (owners.size === 0 && old !== undefined) return undefined;
  try {
    return recorded(call, { old, next, owners, by: writerOf(call, managerName(call), 'Update') });
  } catch (error) {
    // A valid object is not rejected because its owners cannot be tracked.
    if (error instanceof UntrackableItem) return undefined;
    throw error;
  }
}

/** Checks also the fields that the write does not store, like the real server. */
export function isMistyped({ resource, subresource }: Call, object: KubeObject): boolean {
  if (!resource.subresources.has('status')) return false;
  const { status } = object;
  const unkept =
    subresource === 'status' ? without(object, 'metadata', 'status') : { ...(status && { status }) };
  return hasWrongTypes(mergeTypeOf(resource.schema), unkept);
}

interface Recording {
  readonly old: KubeObject | undefined;
  readonly next: KubeObject;
  readonly owners: Owners;
  readonly by: Writer;
}

function recorded(call: Call, { old, next, owners, by }: Recording): Json | undefined {
  const part = partOf(call);
  // Fields that exist without a write have no owner.
  const change = {
    old: trackedPart(old ?? call.resource.blank, part),
    next: trackedPart(next, part),
    apiVersion: by.apiVersion,
    typeIn: typesOf(call),
  };
  return managedFieldsOf(recordUpdate(owners, change, { ...by, time: timestamp(call.clock) }));
}

/** A missing or invalid list from a client keeps the stored list. Subresources cannot write the list. */
function ownersBefore(call: Call, old: KubeObject | undefined, sent: Json | undefined): Owners {
  const isSent = call.subresource === undefined && sent !== undefined;
  if (isSent && isReset(sent)) return noOwners;
  const owners = isSent ? ownersIn(sent) : undefined;
  if (owners !== undefined && owners.size > 0) return owners;
  return ownersIn(old?.metadata['managedFields']) ?? noOwners;
}

/**
 * The owners of an object before an apply; untracked existing fields get an owner of their own. Throws
 * `UntrackableItem`.
 */
export function ownersForApply(call: Call, old: KubeObject | undefined): Owners {
  const owners = ownersIn(old?.metadata['managedFields']) ?? noOwners;
  if (owners.size > 0 || old === undefined) return owners;
  const by = writerOf(call, 'before-first-apply', 'Update');
  return ownersIn(recorded(call, { old: undefined, next: old, owners, by })) ?? noOwners;
}

interface Scaling {
  readonly replicasPath: string;
  readonly replicas: number;
}

/** After a write of the scale, the writer becomes the owner of the replicas. */
export function trackScale(
  call: Call,
  old: KubeObject,
  { replicasPath, replicas }: Scaling,
): Json | undefined {
  const path = replicasPath.replace(/^\./, '').split('.').map(fieldElement);
  const owners = ownersIn(old.metadata['managedFields']) ?? noOwners;
  if (![...owners.values()].some((owner) => hasPath(owner.fields, path))) return managedFieldsOf(owners);
  const left = [...owners].flatMap(([key, owner]) => {
    const fields = difference(owner.fields, pathSet(path));
    return isEmptySet(fields) ? [] : [[key, { ...owner, fields }] as const];
  });
  const by = writerOf(call, managerName(call), 'Update');
  // A scale does not distinguish zero from unset, so zero has no owner.
  if (replicas === 0) return managedFieldsOf(new Map(left));
  return managedFieldsOf(
    new Map([...left, [ownerKey(by), { ...by, time: undefined, fields: pathSet(path) }]]),
  );
}

export function writerOf(call: Call, manager: string, operation: Operation): Writer {
  const { resource, subresource = '' } = call;
  return { manager, operation, apiVersion: apiVersionOf(resource), subresource };
}

export function partOf({ resource, subresource }: Pick<Call, 'resource' | 'subresource'>): Part {
  if (subresource === 'status') return resource.typedItems ? 'status' : 'all but spec';
  return resource.subresources.has('status') ? 'all but status' : 'whole';
}

export function typesOf({ resource, registry }: Pick<Call, 'resource' | 'registry'>): TypeIn {
  return (apiVersion) => {
    const { group, plural } = resource;
    const version = apiVersion.split('/').at(-1) ?? '';
    const found: Resource | undefined =
      apiVersion === apiVersionOf(resource) ? resource : registry.find(group, version, plural);
    return found === undefined || apiVersionOf(found) !== apiVersion ? undefined : mergeTypeOf(found.schema);
  };
}
