/**
 * PATCH with an applied configuration: creates a missing object, and rejects changes of other owners' fields unless
 * forced.
 */
import { applyConfiguration } from '../apply/apply-configuration.ts';
import { conflictError } from '../apply/conflict-error.ts';
import { withLastApplied, withoutInherited } from '../apply/last-applied.ts';
import { UntrackableItem } from '../apply/list-element.ts';
import { managerName } from '../apply/manager-name.ts';
import { managedFieldsOf } from '../apply/managers.ts';
import { merge } from '../apply/merge.ts';
import { mergeTypeOf, type MergeType } from '../apply/merge-type.ts';
import { strayNulls } from '../apply/stray-nulls.ts';
import { trackedPart, withTrackedPart } from '../apply/tracked.ts';
import { ownersForApply, partOf, typesOf, writerOf } from '../apply/tracking.ts';
import { typeErrors } from '../apply/type-errors.ts';
import { isJsonEqual, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { textAt, withMeta, type KubeObject } from '../kube-object.ts';
import { metadataCauses } from '../registry/metadata-rules.ts';
import { typedMetadata } from '../registry/object-metadata.ts';
import { apiVersionOf, storageName } from '../registry/resource.ts';
import { badRequest, invalid, StatusError } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { isDryRun, kindSubject, nameIn, notFound, subjectOf, timestamp, type Call } from './call.ts';
import { createFrom, place, refuseClosedNamespace, refuseUnlessMayCreate } from './create.ts';
import { decodeWrite } from './decode.ts';
import { refuseOtherName, replace, revisionIn, type Updated } from './update.ts';

/** Metadata of a configuration that identifies the object instead of configuring it. */
const identity = new Set(['name', 'namespace', 'uid', 'resourceVersion']);

export function apply(call: Call): Updated {
  const name = nameIn(call);
  const manager = managerName(call);
  const old = call.store.get(storageName(call.resource), keyOf(call.namespace, name));
  if (old === undefined && call.subresource !== undefined) throw notFound(call.resource, name);
  const configuration = configurationIn(call);
  const { sent, managedFields } = applied(call, { old, configuration, manager });
  if (old === undefined) return { object: createApplied(call, sent, managedFields), created: true };
  return { object: replace(call, { old, sent, track: () => managedFields }), created: false };
}

function configurationIn(call: Call): JsonObject {
  const { body, resource } = call;
  if (!isJsonObject(body)) throw badRequest('error decoding YAML: the configuration is not an object');
  const { apiVersion, kind, metadata = {} } = body;
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind)
    throw badRequest(`invalid object type: ${textOf(apiVersion)}, Kind=${textOf(kind)}`);
  if (isJsonObject(metadata)) refuseWrongMetadata(metadata);
  const errors = typeErrors(mergeTypeOf(resource.schema), body);
  if (errors.length === 0) return body;
  const which = `/${call.name ?? ''}; ${textOf(apiVersion)}, Kind=${textOf(kind)}`;
  throw new StatusError('Unknown', `failed to create typed patch object (${which}): ${errors.join('\n')}`);
}

function refuseWrongMetadata(metadata: JsonObject): void {
  if ((metadata['managedFields'] ?? null) !== null) throw badRequest('metadata.managedFields must be nil');
  try {
    typedMetadata(metadata);
  } catch (error) {
    throw error instanceof StatusError ? new StatusError('Unknown', error.message) : error;
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

interface Order {
  readonly old: KubeObject | undefined;
  readonly configuration: JsonObject;
  readonly manager: string;
}

interface Result {
  readonly sent: KubeObject;
  readonly managedFields: Json | undefined;
}

function applied(call: Call, { old, configuration, manager }: Order): Result {
  const part = partOf(call);
  const type = mergeTypeOf(call.resource.schema);
  const base = old === undefined ? emptyObject(call) : call.resource.serve(old);
  const { object, owners, conflicts } = tracked(() =>
    applyConfiguration({
      live: trackedPart(base, part),
      configuration: trackedPart(configuration, part),
      wantsMore: part !== 'whole' && isChangedBy(configuration, base, type),
      owners: ownersForApply(call, old),
      by: { ...writerOf(call, manager, 'Apply'), time: timestamp(call.clock) },
      type,
      typeIn: typesOf(call),
    }),
  );
  const open = tracked(() => withoutInherited(conflicts, { manager, live: base, part, type }));
  if (open.length > 0 && !isForced(call)) throw conflictError(open);
  const merged = withLastApplied(manager, withTrackedPart(base, part, object), configuration);
  const decoded = decodeWrite(call, withIdentity(merged, configuration));
  if (old === undefined) refuseUid(call, configuration);
  const sent = place(call, decoded);
  refuseOtherName(call, sent);
  if (old === undefined) {
    refuseClosedNamespace(call, nameIn(call));
    revisionIn(sent);
  }
  refuseNulls(call, { sent, old, nulls: strayNulls(call.resource.schema, object) });
  return { sent, managedFields: managedFieldsOf(owners) };
}

/** List items without keys have no trackable owners. */
function tracked<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UntrackableItem)) throw error;
    throw new StatusError('Unknown', `failed to create typed live object: ${error.message}`);
  }
}

function isChangedBy(configuration: JsonObject, object: KubeObject, type: MergeType): boolean {
  const live = trackedPart(object, 'whole');
  return !isJsonEqual(merge(type, live, trackedPart(configuration, 'whole')), live);
}

function emptyObject({ resource }: Call): KubeObject {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name: '' } };
}

function withIdentity(merged: JsonObject, { metadata }: JsonObject): JsonObject {
  const said = Object.entries(isJsonObject(metadata) ? metadata : {}).filter(([key]) => identity.has(key));
  const mine = merged['metadata'];
  return { ...merged, metadata: { ...(isJsonObject(mine) ? mine : {}), ...Object.fromEntries(said) } };
}

/** Whether the request has the parameter `force` with another value than false and 0. */
export function isForced({ query }: Pick<Call, 'query'>): boolean {
  const { force } = query;
  return force !== undefined && force !== '0' && force.toLowerCase() !== 'false';
}

interface Doubt {
  readonly sent: KubeObject;
  readonly old: KubeObject | undefined;
  readonly nulls: readonly string[];
}

/** Other writes drop a disallowed null; an apply would own it, so it is invalid. */
function refuseNulls({ resource }: Call, { sent, old, nulls }: Doubt): void {
  if (nulls.length === 0 || !resource.typedItems) return;
  const causes = nulls.map((field) => ({
    field,
    reason: 'FieldValueTypeInvalid',
    message: 'Invalid value: "null": null is not allowed',
  }));
  const object = resource.conform(sent).object;
  const others = [...metadataCauses(object, resource), ...resource.validate(object, old, true)].filter(
    ({ field }) => !nulls.includes(field),
  );
  throw invalid(kindSubject(resource, sent.metadata.name), [...causes, ...others]);
}

/** A uid refers to an existing object. */
function refuseUid(call: Call, { metadata }: JsonObject): void {
  const uid = isJsonObject(metadata) ? (textAt(metadata, 'uid') ?? '') : '';
  if (uid === '') return;
  const message = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw new StatusError('Conflict', message, { subject: subjectOf(call.resource, nameIn(call)) });
}

function createApplied(call: Call, sent: KubeObject, managedFields: Json | undefined): KubeObject {
  refuseUnlessMayCreate(call);
  const bare = isDryRun(call) ? sent : withMeta(sent, { resourceVersion: undefined });
  return createFrom(call, bare, () => managedFields);
}
