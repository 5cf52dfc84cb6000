/**
 * PUT, and the second half of PATCH: the new state of an existing object. An update without a change is not written.
 * Removing the last finalizer of a deleted object removes the object.
 */
import { isMistyped, trackUpdate } from '../apply/tracking.ts';
import { refuseEscalation } from '../auth/escalation.ts';
import { isJsonEqual, isJsonObject, without, type Json } from '../json.ts';
import {
  finalizersOf,
  isDeleting,
  isOutOfTime,
  labelsOf,
  numberAt,
  textAt,
  withMeta,
  type KubeObject,
} from '../kube-object.ts';
import { storageName } from '../registry/resource.ts';
import { badRequest, invalid, StatusError, type Cause } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { isDryRun, nameIn, notFound, subjectOf, type Call } from './call.ts';
import { createFrom, place, refuseInvalid, refuseUnlessMayCreate, type Track } from './create.ts';
import { decodeWrite } from './decode.ts';
import { refuseWriteOptions } from './options.ts';
import { withoutRepeatedOwners } from './repeated-owners.ts';
import { resetAsSent } from './reset-managers.ts';

export interface Updated {
  readonly object: KubeObject;
  readonly created: boolean;
}

export function update(call: Call): Updated {
  const name = nameIn(call);
  refuseWriteOptions('UpdateOptions', call);
  const placed = place(call, resetAsSent(call, call.body, decodeWrite(call, call.body)));
  refuseOtherName(call, placed);
  const sent = withoutRepeatedOwners(call, placed);
  const old = call.store.get(storageName(call.resource), keyOf(call.namespace, name));
  if (old === undefined) {
    if (!call.resource.createOnUpdate || call.subresource !== undefined) throw notFound(call.resource, name);
    return { object: createMissing(call, sent), created: true };
  }
  return { object: replace(call, { old, sent }), created: false };
}

/** For a missing object a revision is ignored, and a uid refers to a deleted object. */
function createMissing(call: Call, sent: KubeObject): KubeObject {
  const uid = textAt(sent.metadata, 'uid') ?? '';
  if (uid !== '') throw exchangedUid(call, sent, uid);
  revisionIn(sent);
  refuseUnlessMayCreate(call);
  return createFrom(call, isDryRun(call) ? sent : withMeta(sent, { resourceVersion: undefined }));
}

export function refuseOtherName(call: Call, sent: KubeObject): void {
  const name = nameIn(call);
  if (sent.metadata.name === name) return;
  throw badRequest(
    `the name of the object (${sent.metadata.name}) does not match the name on the URL (${name})`,
  );
}

export interface Replacement {
  readonly old: KubeObject;
  /** May have a revision or uid as a precondition. */
  readonly sent: KubeObject;
  /** Default: records an ordinary write. */
  readonly track?: Track;
}

/** Writes the new state of the object. */
export function replace(call: Call, { old, sent, track }: Replacement): KubeObject {
  refuseOvertaken(call, old, sent);
  requireRevision(call, sent);
  const wanted = call.resource.next(old, sent, call.subresource);
  const changed = ownedByServer(old, withMeta(wanted, { managedFields: undefined }));
  const managedFields = (track ?? ordinary(call, old, sent))(changed, sent.metadata['managedFields']);
  const admitted = call.resource.admit(changed, old, call);
  const next = withMeta(withGeneration(call, old, admitted), { managedFields });
  refuseEscalation(call.rbac, call.identity, { resource: call.resource, next, old });
  const more =
    call.subresource === undefined || !call.resource.typedItems
      ? [...fixedCauses(call, old, sent), ...newFinalizerCauses(old, next)]
      : [];
  refuseInvalid(call, next, { old, more });
  if (isJsonEqual(comparable(next), comparable(old))) return old;
  if (isDryRun(call)) return next;
  const key = keyOf(call.namespace, old.metadata.name);
  if (isOutOfTime(old) && call.resource.holders(next).length === 0) {
    // The new state is not stored: the writer gets it, and watchers get the state before it.
    call.store.remove(storageName(call.resource), key, old);
    return next;
  }
  return call.store.put(storageName(call.resource), key, next);
}

function ordinary(call: Call, old: KubeObject, whole: KubeObject): Track {
  return (next, sent) => (isMistyped(call, whole) ? undefined : trackUpdate(call, { old, next, sent }));
}

/** The revision of the precondition, or 0 for any. */
export function revisionIn(sent: KubeObject): number {
  const revision = textAt(sent.metadata, 'resourceVersion') ?? '';
  if (/^\d*$/.test(revision)) return Number(revision);
  throw new StatusError('Unknown', `invalid resource version ${JSON.stringify(revision.slice(0, 100))}`);
}

function requireRevision(call: Call, sent: KubeObject): void {
  if (call.resource.unconditionalUpdate || revisionIn(sent) !== 0) return;
  throw invalid(subjectOf(call.resource, sent.metadata.name), [
    {
      field: 'metadata.resourceVersion',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0: must be specified for an update',
    },
  ]);
}

function refuseOvertaken(call: Call, old: KubeObject, sent: KubeObject): void {
  if (isOtherUid(old, sent) && !call.isPatch)
    throw exchangedUid(call, old, textAt(sent.metadata, 'uid') ?? '');
  const revision = revisionIn(sent);
  if (revision !== 0 && revision !== Number(textAt(old.metadata, 'resourceVersion'))) {
    throw new StatusError(
      'Conflict',
      'the object has been modified; please apply your changes to the latest version and try again',
      { subject: subjectOf(call.resource, old.metadata.name) },
    );
  }
}

function exchangedUid(call: Call, old: KubeObject, uid: string): StatusError {
  const message = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${textAt(old.metadata, 'uid')}`;
  return new StatusError('Conflict', message, { subject: subjectOf(call.resource, old.metadata.name) });
}

/** Immutable metadata: only DELETE sets deletion fields, which an update may repeat; the identity never changes. */
function fixedCauses(call: Call, old: KubeObject, sent: KubeObject): readonly Cause[] {
  const isBegun =
    old.metadata['deletionTimestamp'] === undefined && sent.metadata['deletionTimestamp'] !== undefined;
  const grace = sent.metadata['deletionGracePeriodSeconds'];
  const isOtherGrace = grace !== undefined && grace !== old.metadata['deletionGracePeriodSeconds'];
  const changed = [
    ...(isBegun ? ['deletionTimestamp'] : []),
    ...(isOtherGrace ? ['deletionGracePeriodSeconds'] : []),
    ...(call.isPatch && isOtherUid(old, sent) ? ['uid'] : []),
  ];
  return changed.map((name) => ({
    field: `metadata.${name}`,
    reason: 'FieldValueInvalid',
    message: 'field is immutable',
  }));
}

function isOtherUid(old: KubeObject, sent: KubeObject): boolean {
  const uid = textAt(sent.metadata, 'uid') ?? '';
  return uid !== '' && uid !== textAt(old.metadata, 'uid');
}

/** Silently restores fields that a client may not change. */
function ownedByServer(old: KubeObject, next: KubeObject): KubeObject {
  const { metadata } = old;
  return withMeta(next, {
    uid: metadata['uid'],
    creationTimestamp: metadata['creationTimestamp'],
    deletionTimestamp: metadata['deletionTimestamp'],
    deletionGracePeriodSeconds: metadata['deletionGracePeriodSeconds'],
    generation: metadata['generation'],
    resourceVersion: metadata['resourceVersion'],
    selfLink: undefined,
  });
}

/** Counts changes outside of metadata, and outside of status with a status subresource; for some kinds labels too. */
function withGeneration(call: Call, old: KubeObject, next: KubeObject): KubeObject {
  const generation = numberAt(old.metadata, 'generation');
  if (!call.resource.countsGenerations || generation === undefined) return next;
  const ignored = call.resource.subresources.has('status') ? ['metadata', 'status'] : ['metadata'];
  const isRelabeled =
    call.resource.countsGenerations === 'labels-too' && !isJsonEqual(labelsOf(old), labelsOf(next));
  const changed = isRelabeled || !isJsonEqual(without(old, ...ignored), without(next, ...ignored));
  return changed ? withMeta(next, { generation: generation + 1 }) : next;
}

function newFinalizerCauses(old: KubeObject, next: KubeObject): readonly Cause[] {
  if (!isDeleting(old)) return [];
  const had = new Set(finalizersOf(old));
  const added = finalizersOf(next).filter((finalizer) => !had.has(finalizer));
  if (added.length === 0) return [];
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
  return [{ field: 'metadata.finalizers', reason: 'FieldValueForbidden', message }];
}

/**
 * Ignores the times in managedFields: a write that changes nothing else is no write. A change of owners is a change.
 */
function comparable(object: KubeObject): Json {
  const { managedFields } = object.metadata;
  const owners = Array.isArray(managedFields) ? managedFields.filter(isJsonObject) : [];
  return {
    ...object,
    metadata: {
      ...without(object.metadata, 'resourceVersion'),
      managedFields: owners.map((owner) => without(owner, 'time')),
    },
  };
}
