/**
 * Records an ordinary write: its writer becomes the only owner of the changed fields, with the operation Update. An
 * earlier owner of the same name keeps its other fields.
 */
import { capUpdaters } from './cap-updaters.ts';
import { changedIn } from './compare.ts';
import { isEmptySet, union } from './field-set.ts';
import { ownerKey, type Owners, type Writer } from './managers.ts';
import { shiftOwners, type Change } from './ownership.ts';
import { withoutParents } from './tracked.ts';

/** Throws `UntrackableItem`. */
export function recordUpdate(owners: Owners, change: Change, by: Writer & { readonly time: string }): Owners {
  const { owners: left, comparison } = shiftOwners(owners, change);
  const mine = withoutParents(changedIn(comparison));
  if (isEmptySet(mine)) return left;
  const key = ownerKey(by);
  const before = left.get(key);
  const fields = before === undefined ? mine : union(mine, before.fields);
  return capUpdaters(new Map([...left, [key, { ...by, fields }]]));
}
