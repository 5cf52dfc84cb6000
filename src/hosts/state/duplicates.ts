/**
 * Finds hosts named by several machines, machines with several hosts, and hosts and machines that wait for each
 * other; and which of them can be repaired safely. The sure owner of a host holds the claim, is bound to the host,
 * and has the same name as the server: all three. A machine that merely waits with the name of a host that it did not
 * get is no duplicate.
 */
import { isDeleting, keyOf } from '../../kube/client/kube-object.ts';
import { fleetViewOf } from './host-view.ts';
import type { HostRecord } from './host-record.ts';
import { observedState, desiredState } from './host-state.ts';
import { hostOf, hostsOf, isPaused, type MachineObject } from './objects.ts';

export interface SharedHost {
  readonly kind: 'SharedHost';
  readonly host: HostRecord;
  /** At least two. */
  readonly machines: readonly MachineObject[];
}

export interface SpareHost {
  readonly kind: 'SpareHost';
  readonly machine: MachineObject;
  /** At least two. */
  readonly hosts: readonly HostRecord[];
}

/**
 * Machines that speak for a host without a claim on it. They wait for the host, and the host is reserved for them.
 */
export interface Conflict {
  readonly kind: 'StandOff';
  readonly host: HostRecord;
  /** At least one. */
  readonly machines: readonly MachineObject[];
}

export type Duplicate = SharedHost | SpareHost | Conflict;
export const duplicateKinds = ['SharedHost', 'SpareHost', 'StandOff'] as const;

export interface KnownFleet {
  readonly hosts: readonly HostRecord[];
  readonly machines: readonly MachineObject[];
}

/** In input order. Deleted machines and hosts being released are left out: they resolve without a repair. */
export function duplicatesIn({ hosts, machines }: KnownFleet): readonly Duplicate[] {
  const kept = hosts.filter(({ spec }) => spec.release === undefined);
  const staying = machines.filter((machine) => !isDeleting(machine));
  const others = [...sharedHosts(kept, staying), ...spareHosts(kept, staying)];
  const reported = new Set(others.flatMap((one) => (one.kind === 'SpareHost' ? one.hosts : [one.host])));
  return [...others, ...conflictsIn({ hosts, machines }).filter(({ host }) => !reported.has(host))];
}

/** A machine that is paused or bound to another host does not wait. */
export function conflictsIn({ hosts, machines }: KnownFleet): readonly Conflict[] {
  const { ownershipOf } = fleetViewOf({ hosts, machines }, { poolPrefixes: [], claimPrefix: '' });
  const waiting = machines.filter((machine) => !isDeleting(machine) && !isResting(machine));
  const byUid = new Map(waiting.map((machine) => [machine.metadata.uid, machine]));
  return hosts.flatMap((host): readonly Conflict[] => {
    const ownership = ownershipOf(host);
    // mutation: stand-off-is-counted
    if (desiredState(host, ownership) !== 'spoken-for' || observedState(host) === 'gone') return [];
    const speakers = ownership.speakers
      .flatMap(({ uid }) => byUid.get(uid) ?? [])
      .filter(({ status }) => ['', host.id].includes(status?.serverID ?? ''));
    return speakers.length === 0 ? [] : [{ kind: 'StandOff', host, machines: speakers }];
  });
}

/** The machine or its Cluster is paused. */
function isResting(machine: MachineObject): boolean {
  const { conditions = [] } = machine.status ?? {};
  return isPaused(machine) || conditions.some(({ type, status }) => type === 'Paused' && status === 'True');
}

function sharedHosts(hosts: readonly HostRecord[], machines: readonly MachineObject[]): readonly Duplicate[] {
  const bound = Map.groupBy(machines, ({ status }) => status?.serverID ?? '');
  const byUid = new Map(machines.map((machine): [string, MachineObject] => [machine.metadata.uid, machine]));
  return hosts.flatMap((host): readonly Duplicate[] => {
    const holder = byUid.get(host.spec.claim?.uid ?? '');
    const owners = new Set([...(holder === undefined ? [] : [holder]), ...(bound.get(host.id) ?? [])]);
    return owners.size > 1 ? [{ kind: 'SharedHost', host, machines: [...owners] }] : [];
  });
}

/** By claim, by the host that the machine names, or by the server name if only one machine has that name. */
function spareHosts(hosts: readonly HostRecord[], machines: readonly MachineObject[]): readonly Duplicate[] {
  const held = Map.groupBy(hosts, ({ spec }): string => spec.claim?.uid ?? '');
  const free = hosts.filter(({ spec }) => spec.claim === undefined);
  const named = Map.groupBy(free, ({ status }) => status.observed?.name ?? '');
  const byId = new Map(hosts.map((host): [string, HostRecord] => [host.id, host]));
  const freeById = new Map(free.map((host): [string, HostRecord] => [host.id, host]));
  const namesakes = Map.groupBy(machines, ({ metadata }) => metadata.name);
  return machines.flatMap((machine): readonly Duplicate[] => {
    const { uid, name } = machine.metadata;
    const home = byId.get(machine.status?.serverID ?? '');
    const meant = home && freeById.get(hostOf(machine) ?? '');
    const alike = namesakes.get(name)?.length === 1 ? (named.get(name) ?? []) : [];
    const own = new Set([home, meant, ...(held.get(uid) ?? []), ...alike]);
    const all = [...own].filter((host) => host !== undefined);
    return all.length > 1 ? [{ kind: 'SpareHost', machine, hosts: all }] : [];
  });
}

/** The text for explanations and Events. */
export function detailOf(duplicate: Duplicate): string {
  if (duplicate.kind === 'SharedHost') {
    const { host, machines } = duplicate;
    const { claim } = host.spec;
    const holder = claim === undefined ? 'no machine holds' : `${claim.namespace}/${claim.name} holds`;
    return `${machines.length} machines name the host: ${machines.map(keyOf).join(', ')}; ${holder} its claim`;
  }
  if (duplicate.kind === 'StandOff')
    return `the host is reserved for ${duplicate.machines.map(keyOf).join(', ')}, which may not claim it, so both wait; to resolve this: muster release ${duplicate.host.id} --force, or delete the machine`;
  const ids = duplicate.hosts.map(({ id }) => id).join(', ');
  return `${duplicate.hosts.length} hosts are reserved for the machine: ${ids}`;
}

/** The sure owner of the host; undefined while an operator holds the host. */
export function ownerOf(host: HostRecord, machines: readonly MachineObject[]): MachineObject | undefined {
  const { spec, status } = host;
  if (spec.hold !== undefined || spec.release !== undefined || status.state !== 'Owned') return undefined;
  return machines.find(
    (machine) =>
      !isDeleting(machine) &&
      holds(machine, host) &&
      isBoundTo(machine, host) &&
      status.observed?.name === machine.metadata.name,
  );
}

/** Whether `status.serverID` may be cleared. A paused machine belongs to the operator who paused it. */
export function isWronglyBound(
  machine: MachineObject,
  host: HostRecord,
  owner: MachineObject | undefined,
): boolean {
  if (owner === undefined || owner.metadata.uid === machine.metadata.uid) return false;
  if (isDeleting(machine) || isPaused(machine)) return false;
  return isBoundTo(machine, host) && !holds(machine, host);
}

/**
 * Whether the claim on `spare` may be dropped: its machine is bound to `home`, and no machine names the spare host.
 */
export function isSpare(
  spare: HostRecord,
  {
    machine,
    home,
    machines,
  }: { machine: MachineObject; home: HostRecord; machines: readonly MachineObject[] },
): boolean {
  if (spare.id === home.id || isKeptAside(spare) || !holds(machine, spare)) return false;
  if (isPaused(machine) || isKeptAside(home) || ownerOf(home, [machine]) === undefined) return false;
  return !machines.some((other) => hostsOf(other).includes(spare.id));
}

/** The host was never seen in use and still has the name of a free host, so this claim never used it. */
export function wasNeverUsed({ status }: HostRecord, isPoolName: (name: string) => boolean): boolean {
  return status.state === 'Adopting' && isPoolName(status.observed?.name ?? '');
}

function isKeptAside({ spec }: HostRecord): boolean {
  return spec.hold !== undefined || spec.release !== undefined;
}

function holds({ metadata }: MachineObject, { spec }: HostRecord): boolean {
  return spec.claim?.uid === metadata.uid;
}

function isBoundTo({ status }: MachineObject, { id }: HostRecord): boolean {
  return status?.serverID === id;
}
