/** The effect of a change of an object on the owners of its fields. */
import type { JsonObject } from '../json.ts';
import { changedIn, compare, type Comparison } from './compare.ts';
import { difference, intersection, isEmptySet, type FieldSet } from './field-set.ts';
import type { Owner, Owners } from './managers.ts';
import type { MergeType } from './merge-type.ts';

/** The type of the object in a version; undefined for one that is no longer served. */
export type TypeIn = (apiVersion: string) => MergeType | undefined;

/** Two states of the tracked part of an object, and the version in which they were written. */
export interface Change {
  readonly old: JsonObject;
  readonly next: JsonObject;
  readonly apiVersion: string;
  readonly typeIn: TypeIn;
}

interface Shifted {
  /** The owners without removed fields and fields changed by others, and without owners of no field. */
  readonly owners: Owners;
  /** The changed fields of each owner, by owner key. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
  /** In the version of the change. */
  readonly comparison: Comparison;
}

/** Throws `UntrackableItem`. `except` is the key of the owner that makes the change and keeps its fields. */
export function shiftOwners(owners: Owners, change: Change, except?: string): Shifted {
  const comparisonIn = comparisons(change);
  const left = new Map<string, Owner>();
  const conflicts = new Map<string, FieldSet>();
  for (const [key, owner] of owners) {
    const comparison = comparisonIn(owner.apiVersion);
    if (comparison === undefined) continue;
    if (key !== except) {
      const lost = intersection(owner.fields, changedIn(comparison));
      if (!isEmptySet(lost)) conflicts.set(key, lost);
      const fields = difference(difference(owner.fields, lost), comparison.removed);
      if (!isEmptySet(fields)) left.set(key, { ...owner, fields });
    } else if (!isEmptySet(owner.fields)) left.set(key, owner);
  }
  const comparison = comparisonIn(change.apiVersion);
  if (comparison === undefined) throw new Error(`${change.apiVersion} is written but not served`);
  return { owners: left, conflicts, comparison };
}

/** Each version has its own schema, in which the same change may affect other fields. */
function comparisons({ old, next, typeIn }: Change): (apiVersion: string) => Comparison | undefined {
  const known = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (!known.has(apiVersion)) {
      const type = typeIn(apiVersion);
      known.set(apiVersion, type === undefined ? undefined : compare(type, old, next));
    }
    return known.get(apiVersion);
  };
}
