/**
 * Decides about hosts with several machines and machines with several hosts. Duplicates that last are reported. Safe
 * repairs are made, a few at a time; an operator resolves the rest.
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
  /** The time since when every pass has shown the duplicate, by `identityOf`. */
  readonly since: ReadonlyMap<string, number>;
  /** Zero: duplicates are only reported. */
  readonly repairsMax: number;
}

export type Action =
  /** Clears the host on a machine, because another machine owns the host. */
  | { readonly kind: 'unbind'; readonly machine: MachineObject; readonly hostId: string }
  /** Drops the machine's claim on a host, because the machine is bound to another host. */
  | {
      readonly kind: 'drop-claim';
      readonly machine: MachineObject;
      readonly homeId: string;
      readonly hostId: string;
    };

/**
 * The two caches are never of the same moment, so a change seen in one only may look like a duplicate for a while.
 */
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

/** Stays the same while the same hosts and machines are involved. */
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
    .map(({ id }) => ({ kind: 'drop-claim', machine, homeId: home.id, hostId: id }));
}

function noteOf(duplicate: Duplicate, chosen: readonly Action[]): Note {
  const subject = subjectOfDuplicate(duplicate);
  const isMended = chosen.some((action) =>
    action.kind === 'unbind' ? action.hostId === subject : keyOf(action.machine) === subject,
  );
  const then = isMended ? 'Muster repairs this' : 'an operator must resolve this: see muster audit';
  return { subject, reason: duplicate.kind, detail: `${detailOf(duplicate)}; ${then}` };
}
