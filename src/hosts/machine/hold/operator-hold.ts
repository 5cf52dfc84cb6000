/**
 * An operator who clears `status.serverID` of a paused machine takes the machine off its host (seed 002). The host is
 * then held: nothing changes it, even if the machine is deleted, until an operator lifts the hold. Unpausing the
 * machine without deleting it also lifts the hold, and binds the machine to its host again.
 */
import { serverIdIn } from '../../../api/names/provider-id.ts';
import { goneStatus } from '../../state/host-record.ts';
import {
  hadServerId,
  isBound,
  isPaused,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../../state/objects.ts';
import { hostIdsIn, isLaterNamesake, lastOwnerOf, objectorsTo, ownershipOf } from '../../state/ownership.ts';
import { isDeleting } from '../../../kube/client/kube-object.ts';
import { waits, type Decision, type Observed } from '../decision.ts';
import { namesOnlyGone } from '../deletion/server-gone.ts';
import type { MachinePorts } from '../ports.ts';

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

/** When the machine is deleted, its claim on a held host ends, as after `muster detach`. */
export function isHoldDue(host: MacHostObject, machine: MachineObject): boolean {
  if (needsHold(host, machine)) return true;
  const { uid } = machine.metadata;
  // A machine that was unpaused and deleted at once has written its order, which waits for the end of the hold.
  const isOurs = host.spec?.claim?.uid === uid && host.spec.release?.machineUid !== uid;
  return isDeleting(machine) && isOurs && isHeldFor(host, machine);
}

export type Holds = Pick<Observed, 'isTakenOff' | 'toHold' | 'unseen' | 'heldFor'>;

/** The holds that are due after an operator cleared the server id of the paused machine. */
export function holdsOf(
  { hostsAbout, findHost }: Pick<MachinePorts, 'hostsAbout' | 'findHost'>,
  machine: MachineObject,
): Holds {
  const about = hostsAbout(machine);
  const said = hostIdsIn(machine).flatMap((id) => findHost(id) ?? []);
  const idOf = (host: MacHostObject | undefined): string | undefined => host?.metadata.name;
  return {
    isTakenOff: isTakenOff(machine, about),
    toHold: idOf([...about, ...said].find((host) => isHoldDue(host, machine))),
    unseen: idOf(said.find((host) => isUnseenHost(host, machine))),
    heldFor: idOf(about.find((host) => isHeldFor(host, machine))),
  };
}

/** An operator cleared the server id of the paused machine, so its host is held before any other step. */
export function holdFirst({ toHold }: Observed): Decision | undefined {
  if (toHold === undefined) return undefined;
  return {
    reason: 'Paused',
    detail: `status.serverID was cleared while the machine is paused, so host ${toHold} is held`,
    action: { kind: 'hold', hostId: toHold },
  };
}

/** The host of a cleared machine may not be listed yet, so the machine stays until the hold is written. */
export function awaitHold(observed: Observed): Decision | undefined {
  const { machine, isListed, unseen, heldFor } = observed;
  if (namesOnlyGone(machine)) return undefined;
  // mutation: cleared-machine-awaits-hold
  if (unseen === undefined && (isListed || heldFor !== undefined)) return undefined;
  return {
    reason: 'Releasing',
    detail: `status.serverID was cleared while the machine is paused; the machine goes once an inventory has shown ${unseen ?? 'its host'}, and the host is held`,
    lookAgainMs: waits.forStep,
  };
}
