/**
 * DELETE: an object without holders is removed at once; an object with finalizers or a remaining grace period is marked
 * and waits.
 */
import type { JsonObject } from '../json.ts';
import { finalizersOf, isDeleting, numberAt, textAt, withMeta, type KubeObject } from '../kube-object.ts';
import { storageName } from '../registry/resource.ts';
import { StatusError } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { kindSubject, nameIn, notFound, subjectOf, timestamp, type Call } from './call.ts';
import { deleteOptionsOf, type DeleteOptions } from './delete-options.ts';

export function deleteOne(call: Call): { readonly status: number; readonly body: JsonObject } {
  const name = nameIn(call);
  if (call.resource.undeletable.has(name)) {
    throw new StatusError('Forbidden', `this ${call.resource.kind} may not be deleted`, {
      subject: subjectOf(call.resource, name),
    });
  }
  const options = deleteOptionsOf(call);
  const old = call.store.get(storageName(call.resource), keyOf(call.namespace, name));
  if (old === undefined) throw notFound(call.resource, name);
  const removed = remove(call, old, options);
  // Only the deprecated `orphanDependents: false` is answered with 202.
  const isAccepted = !removed.gone && options.orphanDependents === false;
  return { status: isAccepted ? 202 : 200, body: answer(call, removed) };
}

export interface Removed {
  readonly gone: boolean;
  readonly object: KubeObject;
}

/** Deletes one object, for verbs and controllers. */
export function remove(call: Call, old: KubeObject, options: DeleteOptions): Removed {
  refuseFailedPreconditions(call, old, options);
  const dry = (options.dryRun ?? []).length > 0;
  const key = keyOf(call.namespace, old.metadata.name);
  const storage = storageName(call.resource);
  const grace = call.resource.graceSeconds(old, options.gracePeriodSeconds ?? undefined);
  const waiting = withWishes(call, old, options);
  if (grace === 0 && call.resource.holders(waiting).length === 0) {
    return { gone: true, object: dry ? old : call.store.remove(storage, key, old) };
  }
  const marked = isDeleting(old) ? withShorterGrace(call, waiting, grace) : markDeleted(call, waiting, grace);
  return { gone: false, object: marked === old || dry ? marked : call.store.put(storage, key, marked) };
}

/** Kinds with their own deletion do not support deletecollection. */
function isOrdinary({ resource }: Call): boolean {
  return resource.verbs.includes('deletecollection');
}

function refuseFailedPreconditions(call: Call, old: KubeObject, { preconditions }: DeleteOptions): void {
  for (const field of ['uid', 'resourceVersion'] as const) {
    const want = preconditions?.[field] ?? undefined;
    const have = textAt(old.metadata, field);
    if (want === undefined || want === have) continue;
    const message = `Precondition failed: ${field} in precondition: ${want}, ${field} in object meta: ${have}`;
    const { name } = old.metadata;
    throw new StatusError('Conflict', message, {
      // Kinds with their own deletion name their plural in errors.
      subject: isOrdinary(call) ? kindSubject(call.resource, name) : subjectOf(call.resource, name),
    });
  }
}

/** Kinds with their own deletion accept a propagation policy only once. */
function withWishes(call: Call, old: KubeObject, options: DeleteOptions): KubeObject {
  const isHeard = isOrdinary(call) || !isDeleting(old);
  return isHeard ? withCleanup(call, withPropagation(old, options)) : old;
}

/** Stores the propagation policy as a finalizer for the garbage collector. */
function withPropagation(
  old: KubeObject,
  { propagationPolicy, orphanDependents }: DeleteOptions,
): KubeObject {
  // Without a requested policy, the finalizers of the object decide.
  if ((propagationPolicy ?? orphanDependents ?? undefined) === undefined) return old;
  const mine = finalizerFor(propagationPolicy, orphanDependents);
  const had = finalizersOf(old);
  const others = had.filter((finalizer) => finalizer !== 'foregroundDeletion' && finalizer !== 'orphan');
  const next = mine === undefined ? others : [...others, mine];
  if (next.length === had.length && next.every((finalizer) => had.includes(finalizer))) return old;
  return withMeta(old, { finalizers: next.length > 0 ? next : undefined });
}

function finalizerFor(
  policy: DeleteOptions['propagationPolicy'],
  orphan: DeleteOptions['orphanDependents'],
): string | undefined {
  if (policy === 'Foreground') return 'foregroundDeletion';
  return policy === 'Orphan' || orphan === true ? 'orphan' : undefined;
}

/** Only the first deletion adds the finalizer: once it is removed, the object may be deleted. */
function withCleanup(call: Call, object: KubeObject): KubeObject {
  const wanted = call.resource.finalizerOnDelete;
  if (wanted === undefined || isDeleting(object)) return object;
  return withMeta(object, { finalizers: [...new Set([...finalizersOf(object), wanted])] });
}

function markDeleted(call: Call, object: KubeObject, grace: number): KubeObject {
  const generation = numberAt(object.metadata, 'generation');
  const marked = withMeta(object, {
    deletionTimestamp: timestamp(call.clock, grace),
    deletionGracePeriodSeconds: grace,
    ...(generation !== undefined && { generation: generation + 1 }),
  });
  return call.resource.marked(marked, object);
}

function withShorterGrace(call: Call, object: KubeObject, grace: number): KubeObject {
  const now = numberAt(object.metadata, 'deletionGracePeriodSeconds') ?? 0;
  if (grace >= now) return object;
  return withMeta(object, {
    deletionTimestamp: timestamp(call.clock, grace),
    deletionGracePeriodSeconds: grace,
  });
}

function answer(call: Call, { gone, object }: Removed): JsonObject {
  if (!gone || call.resource.returnsDeleted) return call.resource.serve(object);
  const { group, plural } = call.resource;
  const uid = textAt(object.metadata, 'uid') ?? '';
  const details = { name: object.metadata.name, ...(group !== '' && { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
