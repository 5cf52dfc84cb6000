/** What a change of an object does to those who own its fields. */
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
  /** Without the fields that went or that someone else changed, and without owners who have none left. */
  readonly owners: Owners;
  /** By the key of the owner, the fields that were changed under it. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
  /** In the version of the change. */
  readonly comparison: Comparison;
}

/** Throws `UntrackableItem`. `except` is the key of the owner that makes the change and so loses nothing by it. */
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

/** Each version has a schema of its own, so that the same change may look different in it. */
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
