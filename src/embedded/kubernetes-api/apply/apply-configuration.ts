/**
 * Server-side apply as a pure function: the resulting object, the new owners, and the conflicts. Fields that the same
 * applier set before and omits now are removed, unless another manager owns them too.
 */
import { isJsonEqual, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { difference, emptySet, intersection, isEmptySet, union, type FieldSet } from './field-set.ts';
import { fieldsOf, withNamedParents } from './fields-of.ts';
import { ownerKey, type Owner, type Owners, type Writer } from './managers.ts';
import { merge } from './merge.ts';
import type { MergeType } from './merge-type.ts';
import { shiftOwners, type TypeIn } from './ownership.ts';
import { remove } from './remove.ts';
import { withoutParents } from './tracked.ts';

interface Application {
  readonly live: JsonObject;
  readonly configuration: JsonObject;
  /** The configuration also changes fields that this request cannot write. */
  readonly wantsMore: boolean;
  readonly owners: Owners;
  readonly by: Writer & { readonly time: string };
  readonly type: MergeType;
  readonly typeIn: TypeIn;
}

export interface Applied {
  readonly object: JsonObject;
  readonly owners: Owners;
  /** A forced apply takes these fields; any other apply with conflicts is rejected. */
  readonly conflicts: readonly Conflict[];
}

export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/** Throws `UntrackableItem`. */
export function applyConfiguration(application: Application): Applied {
  const { live, configuration, wantsMore, owners, by, type, typeIn } = application;
  const key = ownerKey(by);
  const last = owners.get(key);
  const claim: Owner = {
    ...by,
    time: last?.time,
    fields: withoutParents(fieldsOf(type, configuration)),
  };
  const claimed = new Map([...owners, [key, claim]]);
  const merged = merge(type, live, configuration);
  const object = fieldsIn(last === undefined ? merged : withoutDropped(merged, { last, claimed, typeIn }));
  const change = { old: live, next: object, apiVersion: by.apiVersion, typeIn };
  const shifted = shiftOwners(claimed, change, key);
  const conflicts = [...shifted.conflicts].flatMap(([other, fields]) => {
    const owner = owners.get(other);
    return owner === undefined ? [] : [{ owner, fields }];
  });
  const changed = wantsMore || !isJsonEqual(object, live);
  return { object, conflicts, owners: changed ? stamped(shifted.owners, key, by.time) : shifted.owners };
}

function stamped(owners: Owners, key: string, time: string): Owners {
  const mine = owners.get(key);
  return mine === undefined ? owners : new Map([...owners, [key, { ...mine, time }]]);
}

interface Dropping {
  readonly last: Owner;
  readonly claimed: Owners;
  readonly typeIn: TypeIn;
}

/**
 * Removes the fields that the applier owned until now, then restores the fields that the applier or another manager
 * owns.
 */
function withoutDropped(merged: Json, { last, claimed, typeIn }: Dropping): Json {
  const type = typeIn(last.apiVersion);
  if (type === undefined) return merged;
  const named = withNamedParents(type, last.fields);
  let pruned = fieldsIn(remove(type, merged, named));
  for (const [version, owned] of fieldsByVersion(claimed, last.apiVersion)) {
    const own = typeIn(version);
    if (own === undefined) continue;
    const kept = union(paths(own, pruned), withNamedParents(own, owned));
    pruned = fieldsIn(remove(own, merged, difference(paths(own, merged), kept)));
  }
  // Remove only the applier's own fields: the rest was lost together with the map or list around it.
  return remove(type, merged, intersection(difference(paths(type, merged), paths(type, pruned)), named));
}

function paths(type: MergeType, value: Json): FieldSet {
  return withNamedParents(type, fieldsOf(type, value));
}

/** The fields of the owners by version, starting with the version of the removal. */
function fieldsByVersion(owners: Owners, first: string): ReadonlyMap<string, FieldSet> {
  const versions = new Map<string, FieldSet>([[first, emptySet]]);
  for (const { apiVersion, fields } of owners.values())
    versions.set(apiVersion, union(versions.get(apiVersion) ?? emptySet, fields));
  return new Map([...versions].filter(([, fields]) => !isEmptySet(fields)));
}

function fieldsIn(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}
