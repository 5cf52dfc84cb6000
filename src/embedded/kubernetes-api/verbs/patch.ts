/** PATCH: computes the new state from the stored one, atomically, so a patch without a revision cannot conflict. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { strategicMerge } from '../patch/strategic-merge.ts';
import { storageName } from '../registry/resource.ts';
import type { JsonSchema } from '../schema/structural-schema.ts';
import { badRequest, StatusError } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { nameIn, notFound, type Call } from './call.ts';
import { apply } from './apply.ts';
import { place } from './create.ts';
import { decodeWrite } from './decode.ts';
import { refusePatchOptions } from './options.ts';
import { withoutRepeatedOwners } from './repeated-owners.ts';
import { resetAsSent } from './reset-managers.ts';
import { refuseOtherName, replace, type Updated } from './update.ts';

const applyType = 'application/apply-patch+yaml';

export function patch(call: Call): Updated {
  refuseUnknownType(call);
  refusePatchOptions(call, isApply(call));
  if (isApply(call)) return apply(call);
  const name = nameIn(call);
  const old = call.store.get(storageName(call.resource), keyOf(call.namespace, name));
  if (old === undefined) throw notFound(call.resource, name);
  const patched = computePatch(call, call.resource.serve(old));
  const placed = place(call, resetAsSent(call, patched, decodeWrite(call, patched)));
  refuseOtherName(call, placed);
  const sent = withoutRepeatedOwners(call, placed);
  return { object: replace(call, { old, sent }), created: false };
}

export function isApply(call: Call): boolean {
  return mediaTypeOf(call) === applyType;
}

function mediaTypeOf({ contentType }: Call): string {
  return contentType.split(';')[0]?.trim() ?? '';
}

function kindsFor(call: Call): ReadonlyMap<string, Compute> {
  return call.resource.typedItems ? patchKinds : builtinPatchKinds;
}

export function refuseUnknownType(call: Call): void {
  const accepted = [...kindsFor(call).keys(), applyType];
  if (accepted.includes(mediaTypeOf(call))) return;
  throw new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/** Applies the patch in the body to an object. */
export function computePatch(call: Call, object: JsonObject): Json {
  const compute = kindsFor(call).get(mediaTypeOf(call));
  if (compute === undefined) throw badRequest('this part of an object cannot be applied to');
  if (call.body === undefined) throw badRequest('a patch needs a body');
  return compute(object, call.body, call.resource.schema);
}

type Compute = (old: JsonObject, patch: Json, schema: JsonSchema) => Json;

const patchKinds: ReadonlyMap<string, Compute> = new Map<string, Compute>([
  ['application/json-patch+json', jsonPatch],
  [
    'application/merge-patch+json',
    (old, changes) => {
      if (!isJsonObject(changes)) throw badRequest('a merge patch is an object');
      return mergePatch(old, changes);
    },
  ],
]);

function withTypeOf(old: JsonObject, merged: JsonObject): JsonObject {
  const kept = ['apiVersion', 'kind'].filter((key) => ['string', 'undefined'].includes(typeof merged[key]));
  return { ...merged, ...Object.fromEntries(kept.map((key) => [key, old[key] ?? ''])) };
}

/** Strategic merge needs built-in kinds, whose list keys are known. */
const builtinPatchKinds: ReadonlyMap<string, Compute> = new Map<string, Compute>([
  ...patchKinds,
  [
    'application/strategic-merge-patch+json',
    // A strategic merge cannot change kind and apiVersion.
    (old, changes, schema) => withTypeOf(old, strategicMerge(old, changes, schema)),
  ],
]);
