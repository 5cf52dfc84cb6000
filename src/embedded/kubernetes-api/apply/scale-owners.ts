/** The owners of the replicas of an object after an apply of its scale. */
import type { Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { timestamp, type Call } from '../verbs/call.ts';
import { conflictError } from './conflict-error.ts';
import { difference, hasPath, isEmptySet, pathSet } from './field-set.ts';
import { fieldElement } from './list-element.ts';
import { managerName } from './manager-name.ts';
import { managedFieldsOf, ownerKey, ownersIn, type Owners } from './managers.ts';
import { writerOf } from './tracking.ts';

interface AppliedScale {
  readonly replicasPath: string;
  /** The replicas are unchanged, so all owners agree. */
  readonly isSame: boolean;
  readonly isForced: boolean;
}

/** The path of the replicas in the scale. */
const shown = pathSet(['spec', 'replicas'].map(fieldElement));

export function trackAppliedScale(
  call: Call,
  old: KubeObject,
  { replicasPath, isSame, isForced }: AppliedScale,
): Json | undefined {
  const path = replicasPath.replace(/^\./, '').split('.').map(fieldElement);
  const by = writerOf(call, managerName(call), 'Apply');
  const mine = ownerKey(by);
  const owners: Owners = ownersIn(old.metadata['managedFields']) ?? new Map();
  const others = [...owners].filter(([key]) => key !== mine);
  const holding = others.filter(([, owner]) => hasPath(owner.fields, path));
  if (!isSame && !isForced && holding.length > 0)
    throw conflictError(holding.map(([, owner]) => ({ owner, fields: shown })));
  const fields = pathSet(path);
  const left = isSame
    ? others
    : others.flatMap(([key, owner]) => {
        const rest = difference(owner.fields, fields);
        return isEmptySet(rest) ? [] : [[key, { ...owner, fields: rest }] as const];
      });
  return managedFieldsOf(new Map([...left, [mine, { ...by, time: timestamp(call.clock), fields }]]));
}
