/**
 * Invariants of hosts and machines that can be read from the objects alone, as checks: each is handed all of them and
 * says what does not hold. The ids are those of docs/invariants.md. The simulator, `muster audit` and the gauges
 * run this code, so that they cannot disagree. None of them compares each with each: fleets have a thousand hosts.
 */
import { parseProviderId } from '../../api/names/provider-id.ts';
import { fleetViewOf } from './host-view.ts';
import type { HostRecord, ReleaseOrder } from './host-record.ts';
import type { MachineObject } from './objects.ts';
import { objectorsTo, type Ownership } from './ownership.ts';

/** The part of a machine that invariants speak of. Times are in milliseconds since the epoch. */
export interface AuditedMachine {
  /** As it is stored: the machines that speak for a host are found from it. */
  readonly object: MachineObject;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly zone: string;
  /** Of its status; absent or empty while it has no host. */
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

/** In the order of the ids, then of the subjects: two looks at one fleet say the same, in whatever order it was listed. */
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

/** For a gauge per invariant: those that hold are there with zero. */
export const checkedInvariants: readonly string[] = Object.keys(checks);

const hostSubject = (id: string): string => `host/${id}`;
const nameOf = ({ namespace, name }: Pick<AuditedMachine, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;
const machineSubject = (machine: Pick<AuditedMachine, 'namespace' | 'name'>): string =>
  `machine/${nameOf(machine)}`;
const serverOf = ({ serverId = '' }: AuditedMachine): string => serverId;
const isLive = ({ deletingSince }: AuditedMachine): boolean => deletingSince === undefined;

/** Of each key that is not empty, everything that has it, in the order in which it came. */
function groupsBy<T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly [string, T[]])[] {
  return [...Map.groupBy(all, keyOf)].filter(([key]) => key !== '');
}

function sharedServers({ machines }: AuditedFleet): readonly Finding[] {
  return groupsBy(machines.filter(isLive), serverOf)
    .filter(([, owners]) => owners.length > 1)
    .map(([id, owners]) => ({
      id: 'S1',
      subject: hostSubject(id),
      detail: `${owners.length} machines name it in status.serverID: ${owners.map(nameOf).join(', ')}`,
    }));
}

function serversOfOthers({ hosts, machines }: AuditedFleet): readonly Finding[] {
  const hostById = new Map(hosts.map((host) => [host.id, host]));
  return machines.filter(isLive).flatMap((machine) => {
    const host = hostById.get(serverOf(machine));
    if (host === undefined || host.spec.claim?.uid === machine.uid) return [];
    const { claim } = host.spec;
    const holder = claim === undefined ? 'nobody holds' : `${nameOf(claim)} with uid ${claim.uid} holds`;
    const detail = `machine ${nameOf(machine)} names it in status.serverID, but ${holder} its claim`;
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

/** A host that is given up keeps its claim to the end of the wipe, and has left the name of its machine before that. */
function claimedNameOf({ spec: { claim, release }, status: { observed } }: HostRecord): string {
  const hasLeft = release !== undefined && observed?.name !== undefined && observed.name !== claim?.name;
  return claim === undefined || hasLeft ? '' : nameOf(claim);
}

const idsOf = (hosts: readonly HostRecord[]): string => hosts.map(({ id }) => id).join(', ');

/** A claim has no time of its own: while its host is being adopted, the time of that state stands for it. */
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

/** Whoever deletes such a machine leaves its host behind, or already has. */
function unguardedHosts({ hosts, machines }: AuditedFleet): readonly Finding[] {
  const byId = new Map(hosts.map((host) => [host.id, host]));
  const byOwner = new Map<string | undefined, HostRecord>(
    hosts.toReversed().map((host) => [host.spec.claim?.uid, host]),
  );
  return machines.flatMap((machine) => {
    const host = byOwner.get(machine.uid) ?? byId.get(serverOf(machine));
    if (machine.hasFinalizer || host === undefined || host.spec.release !== undefined) return [];
    const when = isLive(machine) ? 'it has' : 'it is being deleted with';
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
    const detail = `it is being deleted, and its host ${host.id} carries neither its claim nor an order to release it`;
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

/** Without the object that stands for its host, nothing keeps another machine from being given the same one. */
function missingHosts({ hosts, machines }: AuditedFleet): readonly Finding[] {
  const known = new Set(hosts.map(({ id }) => id));
  return machines
    .filter((machine) => isLive(machine) && serverOf(machine) !== '' && !known.has(serverOf(machine)))
    .map((machine) => ({
      id: 'S1',
      subject: machineSubject(machine),
      detail: `there is no MacHost ${serverOf(machine)}, which status.serverID names`,
    }));
}

/** An order to release it, a person who keeps it aside, or another machine that speaks for it is the answer already. */
function claimsOfNobody({ hosts, ownershipOf }: CheckedFleet): readonly Finding[] {
  return hosts.flatMap((host) => {
    const { claim, release, hold } = host.spec;
    if (claim === undefined || release !== undefined || hold !== undefined) return [];
    if (ownershipOf(host).speakers.length > 0) return [];
    const detail = `its claim names ${nameOf(claim)} with uid ${claim.uid}, and there is no such machine`;
    return [{ id: 'L2', subject: hostSubject(host.id), detail }];
  });
}

/** The controller of the host drops such an order as soon as it sees the machine. A held host waits, and so does its order. */
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
    (machine) => `machine ${nameOf(machine)} speaks for it by ${machine.by.join(', ')}`,
  );
  const isSwept = release.orderedBy === 'sweep' && ownership.midAdoption;
  return [...objectors, ...(isSwept ? ['its server carries the name of an adoption under way'] : [])];
}

const deletionMaxMs = 5 * 60_000;

/** Only those that wait for us: what others hold is theirs to let go. */
function endlessDeletions({ machines, now }: AuditedFleet): readonly Finding[] {
  return machines.flatMap((machine) => {
    const { deletingSince = now, hasFinalizer } = machine;
    if (!hasFinalizer || now - deletingSince <= deletionMaxMs) return [];
    const minutes = Math.floor((now - deletingSince) / 60_000);
    const detail = `it has been deleted for ${minutes} minutes, and still has our finalizer`;
    return [{ id: 'L3', subject: machineSubject(machine), detail }];
  });
}
