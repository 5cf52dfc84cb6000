/**
 * An operator who clears `status.serverID` of a paused machine takes the machine off its host (seed 002). The host is
 * then held: nothing changes it, even if the machine is deleted, until an operator lifts the hold. Unpausing the
 * machine without deleting it also lifts the hold, and binds the machine to its host again.
 */
import { serverIdIn } from '../../../api/names/provider-id.ts';
import { goneStatus } from '../../state/host-record.ts';
import {
  hadServerId,
  isPaused,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../../state/objects.ts';
import { hostIdsIn, isLaterNamesake, lastOwnerOf, objectorsTo, ownershipOf } from '../../state/ownership.ts';
import { isBound } from '../machine-predicates.ts';

/** The machine itself is paused and names no server any more. */
export function isCleared(machine: MachineObject): boolean {
  return isPaused(machine) && !isBound(machine);
}

/** An operator took the machine off a host. `hosts`: at least those whose record names the machine. */
export function isTakenOff(machine: MachineObject, hosts: readonly MacHostObject[]): boolean {
  if (!isCleared(machine)) return false;
  const { uid } = machine.metadata;
  return (
    hadServerId(machine) || hosts.some((host) => host.status?.servedUid === uid || isHeldFor(host, machine))
  );
}

/** Whether the cleared server id refers to this host. */
export function isClearedHost(host: MacHostObject, machine: MachineObject): boolean {
  if (!isCleared(machine)) return false;
  if (host.status?.servedUid === machine.metadata.uid) return true;
  // mutation: hold-needs-former-server-id
  if (!hadServerId(machine)) return false;
  // mutation: every-word-of-cleared-machine-counts
  return isNamedBy(host, machine) || isNamedAfter(host, machine);
}

/** By claim, providerID or annotation. The annotation alone may name a clean host that the machine was about to claim. */
function isNamedBy({ metadata, spec }: MacHostObject, machine: MachineObject): boolean {
  if (spec?.claim?.uid === machine.metadata.uid) return true;
  if (serverIdIn(machine.spec?.providerID ?? '') === metadata.name) return true;
  return spec?.used === true && hostIdsIn(machine).includes(metadata.name);
}

/**
 * The machine names a host that no inventory has shown yet. Whether a hold is due depends on the name of the server.
 */
export function isUnseenHost({ metadata, spec, status }: MacHostObject, machine: MachineObject): boolean {
  if (!isCleared(machine) || !hadServerId(machine) || spec?.hold !== undefined) return false;
  const { name, status: shown } = status?.observed ?? {};
  // mutation: unseen-host-is-awaited
  return name === undefined && shown !== goneStatus && hostIdsIn(machine).includes(metadata.name);
}

function isNamedAfter(host: MacHostObject, machine: MachineObject): boolean {
  if (host.status?.observed?.name !== machine.metadata.name) return false;
  const record = recordOf(host);
  const [speaker] = ownershipOf(record, [machine]).speakers;
  if (speaker === undefined) return false;
  const { release } = record.spec;
  return release === undefined || !isLaterNamesake(speaker, release, record.spec);
}

/** A hold is due on a host of a cleared machine. An order that overrules the machine stays. */
export function needsHold(host: MacHostObject, machine: MachineObject): boolean {
  // mutation: cleared-machine-holds-host
  if (host.spec?.hold !== undefined || !isClearedHost(host, machine)) return false;
  const { release, claim } = host.spec ?? {};
  const isOfOther = claim !== undefined && claim.uid !== machine.metadata.uid;
  if (isOfOther && !isSameOwner(host, machine) && !isItsServer(host, machine)) return false;
  if (release === undefined) return true;
  const record = recordOf(host);
  return objectorsTo(release, record, ownershipOf(record, [machine])).length > 0;
}

/**
 * A restored MacHost may carry the claim of an earlier machine. A machine that waits for the name never had the
 * server.
 */
function isItsServer(host: MacHostObject, machine: MachineObject): boolean {
  return isNamedAfter(host, machine) && hostIdsIn(machine).includes(host.metadata.name);
}

function isSameOwner({ spec }: MacHostObject, { metadata }: MachineObject): boolean {
  const owner = lastOwnerOf(spec ?? {});
  return owner?.namespace === metadata.namespace && owner?.name === metadata.name;
}

export function isHeldFor({ spec }: MacHostObject, { metadata }: MachineObject): boolean {
  return spec?.hold?.machineUid === metadata.uid;
}

export function holdPatch(machine: MachineObject, at: string): object {
  const { namespace = '', name, uid } = machine.metadata;
  const reason = `status.serverID of the paused machine ${namespace}/${name} was cleared; unpause the machine to give the host back to it`;
  return { hold: { reason, since: at, machineUid: uid }, used: true };
}
