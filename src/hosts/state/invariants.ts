/**
 * Invariants of hosts and machines that the stored objects alone can prove, with the ids of docs/invariants.md. The
 * simulator, `muster audit` and the gauges all run these checks, so their findings cannot differ. No check compares
 * all pairs: fleets have a thousand hosts.
 */
import { parseProviderId } from '../../api/names/provider-id.ts';
import { fleetViewOf } from './host-view.ts';
import type { HostRecord, ReleaseOrder } from './host-record.ts';
import type { MachineObject } from './objects.ts';
import { objectorsTo, type Ownership } from './ownership.ts';

/** The part of a machine that the invariants need. Times are in milliseconds since the epoch. */
export interface AuditedMachine {
  /** The stored object, to find the machines that speak for a host. */
  readonly object: MachineObject;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly zone: string;
  /** From the status; absent or empty while the machine has no host. */
  readonly serverId?: string | undefined;
  readonly providerId?: string | undefined;
  readonly hasFinalizer: boolean;
  readonly pausedSince?: number | undefined;
  readonly deletingSince?: number | undefined;
}

export interface AuditedFleet {
  readonly hosts: readonly HostRecord[];
  readonly machines: readonly AuditedMachine[];
  readonly now: number;
}

export interface Finding {
  /** Of the invariant, such as `S1`. */
  readonly id: string;
  /** `host/<id>` or `machine/<namespace>/<name>`. */
  readonly subject: string;
  readonly detail: string;
}

interface CheckedFleet extends AuditedFleet {
  readonly ownershipOf: (host: HostRecord) => Ownership;
}

type Check = (fleet: CheckedFleet) => readonly Finding[];

const checks: Readonly<Record<string, readonly Check[]>> = {
  S1: [sharedServers, serversOfOthers, missingHosts],
  S2: [machinesWithTwoHosts, sharedClaimNames],
  S6: [claimsForTheStopped],
  S7: [unguardedHosts, deletionsWithoutClaim],
  S17: [wrongProviderIds],
  S21: [ordersAgainstOwners],
  L2: [claimsOfNobody],
  L3: [endlessDeletions],
};

/** Sorted by id and subject, so that the result does not depend on the order of the lists. */
export function findingsIn({ hosts, machines, now }: AuditedFleet): readonly Finding[] {
  const sorted = {
    hosts: sortedBy(hosts, ({ id }) => id),
    machines: sortedBy(machines, (machine) => `${nameOf(machine)}\n${machine.uid}`),
  };
  const known = { hosts: sorted.hosts, machines: sorted.machines.map(({ object }) => object) };
  const { ownershipOf } = fleetViewOf(known, { poolPrefixes: [], claimPrefix: '' });
  const fleet: CheckedFleet = { ...sorted, now, ownershipOf };
  return Object.values(checks).flatMap((some) =>
    sortedBy(
      some.flatMap((check) => check(fleet)),
      ({ subject }) => subject,
    ),
  );
}

function sortedBy<T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] {
  return all.toSorted((one, other) => {
    const [left, right] = [keyOf(one), keyOf(other)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  });
}

/** All ids, so that the gauge shows zero for an invariant that holds. */
export const checkedInvariants: readonly string[] = Object.keys(checks);

const hostSubject = (id: string): string => `host/${id}`;
const nameOf = ({ namespace, name }: Pick<AuditedMachine, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;
const machineSubject = (machine: Pick<AuditedMachine, 'namespace' | 'name'>): string =>
  `machine/${nameOf(machine)}`;
const serverOf = ({ serverId = '' }: AuditedMachine): string => serverId;
const isLive = ({ deletingSince }: AuditedMachine): boolean => deletingSince === undefined;

/** Groups by key in input order, without the empty key. */
function groupsBy<T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly [string, T[]])[] {
  return [...Map.groupBy(all, keyOf)].filter(([key]) => key !== '');
}

function sharedServers({ machines }: AuditedFleet): readonly Finding[] {
  return groupsBy(machines.filter(isLive), serverOf)
    .filter(([, owners]) => owners.length > 1)
    .map(([id, owners]) => ({
      id: 'S1',
      subject: hostSubject(id),
      detail: `${owners.length} machines name the host in status.serverID: ${owners.map(nameOf).join(', ')}`,
    }));
}

function serversOfOthers({ hosts, machines }: AuditedFleet): readonly Finding[] {
  const hostById = new Map(hosts.map((host) => [host.id, host]));
  return machines.filter(isLive).flatMap((machine) => {
    const host = hostById.get(serverOf(machine));
    if (host === undefined || host.spec.claim?.uid === machine.uid) return [];
    const { claim } = host.spec;
    const holder = claim === undefined ? 'no machine holds' : `${nameOf(claim)} with uid ${claim.uid} holds`;
    const detail = `machine ${nameOf(machine)} names the host in status.serverID, but ${holder} its claim`;
    return [{ id: 'S1', subject: hostSubject(serverOf(machine)), detail }];
  });
}

function machinesWithTwoHosts({ hosts }: AuditedFleet): readonly Finding[] {
  return groupsBy(hosts, ({ spec }) => spec.claim?.uid ?? '').flatMap(([uid, held]) => {
    const claim = held[0]?.spec.claim;
    if (claim === undefined || held.length < 2) return [];
    const detail = `its uid ${uid} is on ${held.length} hosts: ${idsOf(held)}`;
    return [{ id: 'S2', subject: machineSubject(claim), detail }];
  });
}

/** The same name with another uid: one of the claims is of a machine that is gone. */
function sharedClaimNames({ hosts }: AuditedFleet): readonly Finding[] {
  return groupsBy(hosts, claimedNameOf).flatMap(([name, held]) => {
    const uids = new Set(held.map(({ spec }) => spec.claim?.uid));
    if (uids.size < 2) return [];
    const detail = `${uids.size} uids under this name hold hosts: ${idsOf(held)}`;
    return [{ id: 'S2', subject: `machine/${name}`, detail }];
  });
}

/** A host being released keeps its claim to the end of the wipe, but loses the machine's name before that. */
function claimedNameOf({ spec: { claim, release }, status: { observed } }: HostRecord): string {
  const hasLeft = release !== undefined && observed?.name !== undefined && observed.name !== claim?.name;
  return claim === undefined || hasLeft ? '' : nameOf(claim);
}

const idsOf = (hosts: readonly HostRecord[]): string => hosts.map(({ id }) => id).join(', ');

/** A claim has no timestamp. While its host is being adopted, the time of that state is used. */
function claimsForTheStopped({ hosts, machines }: AuditedFleet): readonly Finding[] {
  const machineByUid = new Map(machines.map((machine) => [machine.uid, machine]));
  return hosts.flatMap(({ id, spec, status }) => {
    const machine = spec.claim === undefined ? undefined : machineByUid.get(spec.claim.uid);
    if (machine === undefined || status.state !== 'Adopting' || status.since === undefined) return [];
    const claimedAt = Date.parse(status.since);
    const { pausedSince = Infinity, deletingSince = Infinity } = machine;
    if (claimedAt <= Math.min(pausedSince, deletingSince)) return [];
    const what = pausedSince < deletingSince ? 'was paused' : 'was being deleted';
    const detail = `claimed for ${nameOf(machine)} at ${status.since}, when that machine ${what} already`;
    return [{ id: 'S6', subject: hostSubject(id), detail }];
  });
}

/** Deleting such a machine leaves its host behind. */
function unguardedHosts({ hosts, machines }: AuditedFleet): readonly Finding[] {
  const byId = new Map(hosts.map((host) => [host.id, host]));
  const byOwner = new Map<string | undefined, HostRecord>(
    hosts.toReversed().map((host) => [host.spec.claim?.uid, host]),
  );
  return machines.flatMap((machine) => {
    const host = byOwner.get(machine.uid) ?? byId.get(serverOf(machine));
    if (machine.hasFinalizer || host === undefined || host.spec.release !== undefined) return [];
    const when = isLive(machine) ? 'the machine has' : 'the machine is being deleted with';
    const detail = `${when} no finalizer of ours, and its host ${host.id} carries no order to release it`;
    return [{ id: 'S7', subject: machineSubject(machine), detail }];
  });
}

function deletionsWithoutClaim({ hosts, machines }: AuditedFleet): readonly Finding[] {
  const byId = new Map(hosts.map((host) => [host.id, host]));
  return machines.flatMap((machine) => {
    const host = byId.get(serverOf(machine));
    if (isLive(machine) || host === undefined || host.spec.claim !== undefined) return [];
    if (host.spec.release !== undefined) return [];
    const detail = `the machine is being deleted, and its host ${host.id} carries neither its claim nor an order to release it`;
    return [{ id: 'S7', subject: machineSubject(machine), detail }];
  });
}

function wrongProviderIds({ machines }: AuditedFleet): readonly Finding[] {
  return machines.flatMap((machine) => {
    const { providerId = '' } = machine;
    if (providerId === '') return [];
    const detail = providerIdTrouble(machine, providerId);
    return detail === undefined ? [] : [{ id: 'S17', subject: machineSubject(machine), detail }];
  });
}

function providerIdTrouble(machine: AuditedMachine, providerId: string): string | undefined {
  const parsed = parseProviderId(providerId);
  if (!parsed.ok) return parsed.why;
  const { zone, hostId } = parsed.address;
  if (serverOf(machine) === '' && !isLive(machine)) return undefined;
  if (hostId !== serverOf(machine))
    return `spec.providerID names ${hostId}, status.serverID ${serverOf(machine) || 'nothing'}`;
  return zone === machine.zone ? undefined : `spec.providerID names zone ${zone}, spec.zone ${machine.zone}`;
}

/** Without the MacHost, nothing keeps another machine from claiming the same server. */
function missingHosts({ hosts, machines }: AuditedFleet): readonly Finding[] {
  const known = new Set(hosts.map(({ id }) => id));
  return machines
    .filter((machine) => isLive(machine) && serverOf(machine) !== '' && !known.has(serverOf(machine)))
    .map((machine) => ({
      id: 'S1',
      subject: machineSubject(machine),
      detail: `status.serverID names MacHost ${serverOf(machine)}, which does not exist`,
    }));
}

/** A release order, a hold, or another machine that speaks for the host already resolves such a claim. */
function claimsOfNobody({ hosts, ownershipOf }: CheckedFleet): readonly Finding[] {
  return hosts.flatMap((host) => {
    const { claim, release, hold } = host.spec;
    if (claim === undefined || release !== undefined || hold !== undefined) return [];
    if (ownershipOf(host).speakers.length > 0) return [];
    const detail = `the claim names ${nameOf(claim)} with uid ${claim.uid}, but that machine does not exist`;
    return [{ id: 'L2', subject: hostSubject(host.id), detail }];
  });
}

/** The host controller drops such an order as soon as it sees the machine. On a held host the order waits. */
function ordersAgainstOwners({ hosts, ownershipOf }: CheckedFleet): readonly Finding[] {
  return hosts.flatMap((host) => {
    const { release, hold } = host.spec;
    if (release === undefined || hold !== undefined) return [];
    const doubts = doubtsAbout(release, host, ownershipOf(host));
    if (doubts.length === 0) return [];
    const detail = `${release.orderedBy} ordered ${release.policy}, although ${doubts.join('; ')}`;
    return [{ id: 'S21', subject: hostSubject(host.id), detail }];
  });
}

function doubtsAbout(release: ReleaseOrder, host: HostRecord, ownership: Ownership): readonly string[] {
  const objectors = objectorsTo(release, host, ownership).map(
    (machine) => `machine ${nameOf(machine)} speaks for the host by ${machine.by.join(', ')}`,
  );
  const isSwept = release.orderedBy === 'sweep' && ownership.midAdoption;
  return [...objectors, ...(isSwept ? ['the server carries a pending name of an adoption'] : [])];
}

const deletionMaxMs = 5 * 60_000;

/** Only machines that still have our finalizer: other finalizers are removed by their owners. */
function endlessDeletions({ machines, now }: AuditedFleet): readonly Finding[] {
  return machines.flatMap((machine) => {
    const { deletingSince = now, hasFinalizer } = machine;
    if (!hasFinalizer || now - deletingSince <= deletionMaxMs) return [];
    const minutes = Math.floor((now - deletingSince) / 60_000);
    const detail = `the machine has been deleting for ${minutes} minutes and still has our finalizer`;
    return [{ id: 'L3', subject: machineSubject(machine), detail }];
  });
}
