/**
 * A server that already carries the name of a machine. The machine takes it without a wipe only if the server's last
 * owner had the same namespace and name, or if no owner is recorded since the server was first seen or wiped under
 * that name. Otherwise the machine waits until the server has another name. So no two servers carry one name.
 */
import { annotations } from '../../api/names/annotations.ts';
import { goneStatus, type HostRecord } from '../state/host-record.ts';
import { observedState } from '../state/host-state.ts';
import { recordOf, type MacHostObject, type MachineObject } from '../state/objects.ts';
import { isOfFamily } from '../state/os-families.ts';
import { lastOwnerOf, ownershipOf, type Ownership } from '../state/ownership.ts';
import { requiredOf } from './adoption/host-requirements.ts';

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
