/**
 * What to do about hosts with several machines and machines with several hosts. What does not go away by itself is
 * reported; what can be mended without doubt is mended, a few at a time; the rest is for a person.
 */
import {
  detailOf,
  duplicatesIn,
  isSpare,
  isWronglyBound,
  ownerOf,
  type Duplicate,
} from '../state/duplicates.ts';
import { recordOf, type MacHostObject, type MachineObject } from '../state/objects.ts';
import type { Note, Plan } from '../../kube/reconciler/plan.ts';
import { keyOf } from '../../kube/client/kube-object.ts';

export interface Observed {
  readonly now: number;
  readonly hosts: readonly MacHostObject[];
  readonly machines: readonly MachineObject[];
  readonly duplicates: readonly Duplicate[];
  /** Since when each look has shown it; by `identityOf`. */
  readonly since: ReadonlyMap<string, number>;
  /** None: everything is only reported. */
  readonly repairsMax: number;
}

export type Action =
  /** Clear the host on a machine that names it, because another machine owns it. */
  | { readonly kind: 'unbind'; readonly machine: MachineObject; readonly hostId: string }
  /** Take the claim of a machine off a host, because the machine lives on another one. */
  | {
      readonly kind: 'yield';
      readonly machine: MachineObject;
      readonly homeId: string;
      readonly hostId: string;
    };

/** Two caches are never of the same moment: what is half seen may look like a duplicate for a while. */
const settleMs = 20_000;

export function plan(observed: Observed): Plan<Action> {
  const { duplicates, repairsMax } = observed;
  const confirmed = duplicates.filter((one) => isConfirmed(one, observed));
  const possible = confirmed.flatMap((one) => repairsOf(one, observed));
  const chosen = possible.slice(0, repairsMax);
  return { actions: chosen, notes: confirmed.map((one) => noteOf(one, chosen)) };
}

export function findDuplicates({ hosts, machines }: Pick<Observed, 'hosts' | 'machines'>) {
  return duplicatesIn({ hosts: hosts.map(recordOf), machines });
}

export function isConfirmed(duplicate: Duplicate, { now, since }: Pick<Observed, 'now' | 'since'>): boolean {
  return now - (since.get(identityOf(duplicate)) ?? now) >= settleMs;
}

/** The same as long as the same are involved. */
export function identityOf(duplicate: Duplicate): string {
  const members =
    duplicate.kind === 'SpareHost'
      ? duplicate.hosts.map(({ id }) => id)
      : duplicate.machines.map(({ metadata }) => metadata.uid);
  return [duplicate.kind, subjectOfDuplicate(duplicate), ...members.toSorted()].join(' ');
}

export function subjectOfDuplicate(duplicate: Duplicate): string {
  return duplicate.kind === 'SpareHost' ? keyOf(duplicate.machine) : duplicate.host.id;
}

function repairsOf(duplicate: Duplicate, { machines }: Observed): readonly Action[] {
  if (duplicate.kind === 'StandOff') return [];
  if (duplicate.kind === 'SharedHost') {
    const { host, machines: involved } = duplicate;
    const owner = ownerOf(host, involved);
    return involved
      .filter((machine) => isWronglyBound(machine, host, owner))
      .map((machine) => ({ kind: 'unbind', machine, hostId: host.id }));
  }
  const { machine, hosts } = duplicate;
  const home = hosts.find(({ id }) => id === machine.status?.serverID);
  if (home === undefined) return [];
  return hosts
    .filter((spare) => isSpare(spare, { machine, home, machines }))
    .map(({ id }) => ({ kind: 'yield', machine, homeId: home.id, hostId: id }));
}

function noteOf(duplicate: Duplicate, chosen: readonly Action[]): Note {
  const subject = subjectOfDuplicate(duplicate);
  const isMended = chosen.some((action) =>
    action.kind === 'unbind' ? action.hostId === subject : keyOf(action.machine) === subject,
  );
  const then = isMended ? 'it is mended' : 'it is left to a person: see muster audit';
  return { subject, reason: duplicate.kind, detail: `${detailOf(duplicate)}; ${then}` };
}
