/**
 * Which host a machine may take: a free host that fits, the server that already has the machine's name, or the host
 * on which the machine lost its claim. And why the machine may not take any other host.
 */
import { annotations } from '../../api/names/annotations.ts';
import { isPoolName } from '../../api/names/host-names.ts';
import { goneStatus, type HostRecord } from './host-record.ts';
import { observedState } from './host-state.ts';
import { hadServerId, hostOf, recordOf, type MacHostObject, type MachineObject } from './objects.ts';
import { isOfFamily } from './os-families.ts';
import { lastOwnerOf, ownershipOf, type Ownership } from './ownership.ts';

export interface HostRequirements {
  readonly zone: string;
  readonly type: string;
  /** A release family, or the name of an image, which counts as its family. */
  readonly os: string;
  readonly poolPrefix: string;
  /** The manager's default. It applies to a pending host that was never seen under a pool prefix. */
  readonly defaultPoolPrefix?: string;
  /** Ids of hosts whose pending name was left by an adoption that was cut off. */
  readonly ripePending?: ReadonlySet<string>;
}

export const usualZone = 'fr-par-1';

/** The requirements apart from the name. */
export function requiredOf({ spec }: MachineObject): Pick<HostRequirements, 'zone' | 'type' | 'os'> {
  return { zone: spec?.zone ?? usualZone, type: spec?.type ?? 'M2-L', os: spec?.os ?? 'Tahoe' };
}

/**
 * A cut-off adoption leaves the pending name. After ten minutes without a change, no adoption by any tool still runs.
 */
export const pendingRestMs = 10 * 60_000;

export const ineligibilityTexts = {
  taken: 'claimed by a machine',
  used: 'used and not wiped yet',
  leaving: 'being released',
  held: 'held by an operator',
  scheduled: 'its rent ends soon',
  name: 'not named like a free host of this pool',
  notReady: 'not ready',
  zone: 'in another zone',
  type: 'of another type',
  os: 'with another macOS',
} as const;
export type Ineligibility = keyof typeof ineligibilityTexts;

/** Ordered so that the most telling reason comes first. */
const checks: readonly (readonly [
  Ineligibility,
  (host: HostRecord, requirements: HostRequirements) => boolean,
])[] = [
  ['zone', ({ status }, { zone }) => status.observed?.zone !== zone],
  ['held', ({ spec }) => spec.hold !== undefined],
  // mutation: candidate-not-claimed
  ['taken', ({ spec }) => spec.claim !== undefined],
  ['leaving', ({ spec }) => spec.release !== undefined],
  // mutation: candidate-needs-pool-name
  ['name', (host, requirements) => !isPooled(host, requirements)],
  // mutation: candidate-not-used
  ['used', ({ spec }) => spec.used === true],
  // mutation: candidate-not-scheduled-for-deletion
  ['scheduled', ({ status }) => status.observed?.deletionScheduled === true],
  ['type', ({ status }, { type }) => status.observed?.type !== type],
  // mutation: candidate-of-os-family
  ['os', ({ status }, { os }) => !isOfFamily(status.observed?.os, os)],
  ['notReady', (host) => observedState(host) !== 'ready'],
];

function isPooled({ id, status }: HostRecord, requirements: HostRequirements): boolean {
  if (isPoolName(status.observed?.name ?? '', requirements.poolPrefix)) return true;
  const cameFrom = status.poolPrefix ?? requirements.defaultPoolPrefix;
  // mutation: old-pending-host-is-free
  return requirements.ripePending?.has(id) === true && cameFrom === requirements.poolPrefix;
}

/** Undefined when the machine may take the host. */
export function ineligibility(host: HostRecord, requirements: HostRequirements): Ineligibility | undefined {
  return checks.find(([, refuses]) => refuses(host, requirements))?.[0];
}

/** Sorted by id, so that two readers of one list choose the same host. */
export function candidatesFor(
  hosts: readonly HostRecord[],
  requirements: HostRequirements,
): readonly HostRecord[] {
  return hosts
    .filter((host) => ineligibility(host, requirements) === undefined)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Counts the unfit hosts of the zone by reason, to explain why no host is free. */
export function countIneligible(
  hosts: readonly HostRecord[],
  requirements: HostRequirements,
): ReadonlyMap<Ineligibility, number> {
  const counts = new Map<Ineligibility, number>();
  for (const host of hosts) {
    const reason = ineligibility(host, requirements);
    if (reason !== undefined && reason !== 'zone') counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}

/**
 * A server that already carries the name of a machine. The machine takes it without a wipe only if the server's last
 * owner had the same namespace and name, or if no owner is recorded since the server was first seen or wiped under
 * that name. Otherwise the machine waits until the server has another name. So no two servers carry one name.
 */
export interface NamedServer {
  readonly host: MacHostObject;
  readonly ownership: Ownership;
}

/** Hosts with the name of a machine whose servers still exist. */
export function namedServers(
  hosts: readonly MacHostObject[],
  machine: MachineObject,
  ownership: (host: MacHostObject) => Ownership,
): readonly NamedServer[] {
  return hosts
    .filter(({ status }) => status?.observed?.name === machine.metadata.name)
    .filter(({ status }) => status?.observed?.status !== goneStatus)
    .map((host) => ({ host, ownership: ownership(host) }));
}

/** Why the machine may not take the server as it is; undefined when it may. */
export function whyNotOwn({ host, ownership }: NamedServer, machine: MachineObject): string | undefined {
  const record = recordOf(host);
  if (ownership.heldBy !== undefined) return 'held by an operator';
  if (record.spec.release !== undefined) return 'being released';
  const others = ownership.speakers.filter(({ uid }) => uid !== machine.metadata.uid);
  if (others.length > 0)
    return `machine ${others.map(({ namespace, name }) => `${namespace}/${name}`).join(', ')} also speaks for the host`;
  return doubtAboutOwner(record, machine) ?? mismatch(record, machine);
}

function doubtAboutOwner({ id, spec, status }: HostRecord, machine: MachineObject): string | undefined {
  const { metadata } = machine;
  const owner = lastOwnerOf(spec);
  if (owner !== undefined) {
    const isSame = owner.namespace === metadata.namespace && owner.name === metadata.name;
    return isSame ? undefined : `its last owner was ${owner.namespace}/${owner.name}`;
  }
  // The machine was about to claim the server, and the MacHost was lost after the rename.
  if (metadata.annotations?.[annotations.host.key] === id && spec.used !== true) return undefined;
  if (spec.firstSeenName !== metadata.name)
    return 'the server was first seen under another name, and no owner of this name is recorded';
  return doubtAboutWipe({ spec, status });
}

/**
 * The order of a wipe is dropped when a machine of the name is created meanwhile. The wipe goes on, and then the disk
 * is clean.
 */
function doubtAboutWipe({ spec, status }: Pick<HostRecord, 'spec' | 'status'>): string | undefined {
  const { wipe, installEpoch = 0 } = status;
  if (wipe !== undefined && wipe.completedAt === undefined) return 'a wipe was requested and has not ended';
  // mutation: wiped-server-keeps-its-name
  if (installEpoch === 0 || (spec.used === true && spec.personName === undefined)) return undefined;
  return 'the server was wiped and returned to the pool since it was first seen under this name';
}

function mismatch(host: HostRecord, machine: MachineObject): string | undefined {
  const { observed = {} } = host.status;
  const { zone, type, os } = requiredOf(machine);
  if (observed.deletionScheduled === true) return 'its rent ends soon';
  if (observed.zone !== zone) return `it is in zone ${observed.zone}`;
  if (observed.type !== type) return `it is of type ${observed.type}`;
  if (!isOfFamily(observed.os, os)) return `it has ${observed.os?.name ?? 'an unknown macOS'}`;
  return observedState(host) === 'ready' ? undefined : 'it is not ready';
}

/** The server that the machine may take. With two servers of the machine's name, an operator has to choose. */
export function ownServer(named: readonly NamedServer[], machine: MachineObject): MacHostObject | undefined {
  const [server, ...others] = named;
  if (server === undefined || others.length > 0) return undefined;
  return whyNotOwn(server, machine) === undefined ? server.host : undefined;
}

export function namedServersText(named: readonly NamedServer[], machine: MachineObject): string {
  const texts = named.map((server) => {
    const why = whyNotOwn(server, machine) ?? 'another server also has the name';
    return `server ${server.host.metadata.name} has the name of the machine: ${why}`;
  });
  return texts.join('; ');
}

/** For a freshly read host and all machines that could speak for it. */
export function isOwnServer(
  host: MacHostObject,
  machine: MachineObject,
  machines: readonly MachineObject[],
): boolean {
  const isNamed = host.status?.observed?.name === machine.metadata.name;
  const ownership = ownershipOf(recordOf(host), machines);
  return isNamed && whyNotOwn({ host, ownership }, machine) === undefined;
}

interface Known {
  /** At least the machines that name the host. */
  readonly machines: readonly MachineObject[];
  readonly requirements: HostRequirements | undefined;
}

/**
 * A machine whose claim on a host was lost, with the MacHost or because the claim was removed, before the machine was
 * bound. The host counts as used only because of this machine, so the machine may claim the host again. Otherwise
 * host and machine would wait for each other for ever.
 */
export function mayClaimAgain(
  object: MacHostObject,
  machine: MachineObject,
  { machines, requirements }: Known,
): boolean {
  const { uid } = machine.metadata;
  const host = recordOf(object);
  if (requirements === undefined || hostOf(machine) !== host.id || hadServerId(machine)) return false;
  const { speakers } = ownershipOf(host, machines);
  if (speakers.some((speaker) => speaker.uid !== uid && !speaker.isIntentOnly)) return false;
  if (!isUsedForItAlone(host, machine, requirements)) return false;
  const { used: _used, ...spec } = host.spec;
  return spec.personName === undefined && ineligibility({ ...host, spec }, requirements) === undefined;
}

/** The last claim was the machine's own; or the MacHost was created again, without an owner or a wipe. */
function isUsedForItAlone(
  { spec, status }: HostRecord,
  machine: MachineObject,
  requirements: HostRequirements,
): boolean {
  if (spec.lastOwner !== undefined) return spec.lastOwner.uid === machine.metadata.uid;
  const wasWiped = (status.installEpoch ?? 0) > 0 || status.wipe !== undefined;
  return !wasWiped && isPoolName(spec.firstSeenName ?? '', requirements.poolPrefix);
}
