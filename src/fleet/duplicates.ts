/**
 * Hosts that several machines say they have, and machines that several hosts are kept for; and what of it can be mended
 * without doubt. Whoever holds the claim, was served by the host and gave it its name is its owner: that needs all three.
 * A machine that merely waits with the name of a host it did not get is no duplicate.
 */
import { annotations } from '../api/annotations.ts';
import type { HostRecord } from './host-situation.ts';
import { hostsOf, isLeaving, isPaused, type MachineObject } from './objects.ts';

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

export type Duplicate = SharedHost | SpareHost;

export interface KnownFleet {
  readonly hosts: readonly HostRecord[];
  readonly machines: readonly MachineObject[];
}

/** In the order of what was handed in. Machines that leave, and hosts that are given back, end by themselves. */
export function duplicatesIn({ hosts, machines }: KnownFleet): readonly Duplicate[] {
  const kept = hosts.filter(({ spec }) => spec.release === undefined);
  const staying = machines.filter((machine) => !isLeaving(machine));
  return [
    ...kept.flatMap((host): readonly Duplicate[] => {
      const owners = staying.filter((machine) => isBoundTo(machine, host) || holds(machine, host));
      return owners.length > 1 ? [{ kind: 'SharedHost', host, machines: owners }] : [];
    }),
    ...staying.flatMap((machine): readonly Duplicate[] => {
      const own = kept.filter((host) => isKeptFor(host, machine, staying));
      return own.length > 1 ? [{ kind: 'SpareHost', machine, hosts: own }] : [];
    }),
  ];
}

/** The machine that the host belongs to beyond doubt; nobody while a person keeps the host aside. */
export function ownerOf(host: HostRecord, machines: readonly MachineObject[]): MachineObject | undefined {
  const { spec, status } = host;
  if (spec.hold !== undefined || spec.release !== undefined || status.state !== 'Owned') return undefined;
  return machines.find(
    (machine) =>
      !isLeaving(machine) &&
      holds(machine, host) &&
      isBoundTo(machine, host) &&
      status.observed?.name === machine.metadata.name,
  );
}

/** Whether the machine may be told that the host is not its own. Who is paused is in the hands of a person. */
export function isWronglyBound(
  machine: MachineObject,
  host: HostRecord,
  owner: MachineObject | undefined,
): boolean {
  if (owner === undefined || owner.metadata.uid === machine.metadata.uid) return false;
  if (isLeaving(machine) || isPaused(machine)) return false;
  return isBoundTo(machine, host) && !holds(machine, host);
}

/** Whether a claim may be taken off `spare`: its machine lives on `home`, and nobody speaks of the spare one. */
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

/** Never seen as anybody's, and called as a free one is: nobody can have used it under this claim. */
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

/** By claim, by what it says that it has, or by the name of the server, if that can mean only this machine. */
function isKeptFor(host: HostRecord, machine: MachineObject, all: readonly MachineObject[]): boolean {
  if (holds(machine, host) || isBoundTo(machine, host)) return true;
  if (isServed(machine) && meant(machine) === host.id) return host.spec.claim === undefined;
  const { name } = machine.metadata;
  const isOnlyOne = all.filter(({ metadata }) => metadata.name === name).length === 1;
  return host.spec.claim === undefined && host.status.observed?.name === name && isOnlyOne;
}

function isServed({ status }: MachineObject): boolean {
  return (status?.serverID ?? '') !== '';
}

function meant({ metadata }: MachineObject): string | undefined {
  return metadata.annotations?.[annotations.host.key];
}
