/** The decision about a machine that has a host: bind the host again, publish it, or wait for it. */
import { annotations } from '../../../api/names/annotations.ts';
import { providerIdOf } from '../../../api/names/provider-id.ts';
import { wasOwned } from '../../state/host-transitions.ts';
import { goneStatus, type Claim } from '../../state/host-record.ts';
import { hostOf, type MacHostObject, type MachineObject } from '../../state/objects.ts';
import { keyOf } from '../../../kube/client/kube-object.ts';
import { waits, type Decision, type Observed } from '../decision.ts';
import { awaitInventory } from '../adoption/find-host.ts';
import { otherClaimOn } from './restore-binding.ts';
import { serverNameMatches } from '../adoption/host-requirements.ts';

export function hostMissing(observed: Observed): Decision {
  return observed.isListed ? lostHost : awaitInventory(observed);
}

/**
 * The next inventory creates the MacHost again unless the server is gone. Until that is known, the machine takes no
 * other host.
 */
const lostHost: Decision = {
  reason: 'HostGone',
  detail: 'the host of the machine has no MacHost',
  lookAgainMs: waits.forHost,
};

/**
 * An operator wrote another host onto the machine. A machine that also took that host would leave the first to be
 * wiped.
 */
function bindingConflict(machine: MachineObject): Decision {
  return {
    reason: 'ScalewayAdoptFailed',
    detail: `the machine has host ${machine.status?.serverID}, but its annotation ${annotations.host.key} names ${hostOf(machine)}; remove the annotation`,
    lookAgainMs: waits.forPerson,
  };
}

/** A machine that was bound before its MacHost was lost claims the host again, unless another machine holds it. */
export function bindAgain(observed: Observed, host: MacHostObject): Decision {
  const { machine } = observed;
  const { release, hold } = host.spec ?? {};
  const claim = isClaimOfNone(observed, host) ? undefined : otherClaimOn(host, machine);
  const hostId = host.metadata.name;
  if (machine.status?.serverID !== hostId) return bindingConflict(machine);
  const doubt = claim === undefined ? doubtAbout(observed, host) : undefined;
  if (doubt !== undefined)
    return { reason: 'ScalewayAdoptFailed', detail: doubt, lookAgainMs: waits.forPerson };
  if ((claim ?? release ?? hold) === undefined)
    return {
      reason: 'Adopting',
      detail: `the machine takes host ${hostId} back`,
      action: { kind: 'claim', hostId },
    };
  return {
    reason: 'ScalewayAdoptFailed',
    detail: `${keyOf(machine)} names host ${hostId} in status.serverID, but ${keptBy(claim)}`,
    lookAgainMs: waits.forPerson,
  };
}

/** The server has the machine's name, and the claim of its restored MacHost names a machine that does not exist. */
function isClaimOfNone({ named }: Observed, { metadata }: MacHostObject): boolean {
  const own = named.find((server) => server.host.metadata.name === metadata.name);
  // mutation: claim-of-missing-machine
  return own?.ownership.claimant === 'missing';
}

function doubtAbout(observed: Observed, host: MacHostObject): string | undefined {
  const { machine, isServingOthers } = observed;
  const hostId = host.metadata.name;
  if (isServingOthers) return `other machines also have host ${hostId}; delete all but one of them`;
  // The status was written by hand, or the server has another user now.
  if (serverNameMatches(host, machine, observed) === false)
    return `${keyOf(machine)} names host ${hostId} in status.serverID, but that server is named ${host.status?.observed?.name}`;
  return undefined;
}

function keptBy(claim: Claim | undefined): string {
  return claim === undefined
    ? 'the host is being released or held'
    : `${claim.namespace}/${claim.name} holds its claim`;
}

export function publish({ machine }: Observed, host: MacHostObject): Decision {
  // mutation: report-gone-server
  if (host.status?.observed?.status === goneStatus)
    return { ...lostHost, detail: 'the server of the host is gone' };
  if (!hasItsName(host, machine)) return awaitName(host);
  if (isRecorded(machine, host))
    return { reason: 'Provisioned', detail: `the machine has host ${host.metadata.name}` };
  return {
    reason: 'Adopting',
    detail: 'the status of the machine is updated with its host',
    action: { kind: 'publish-host' },
    // An operator may add a missing password to the Secret.
    lookAgainMs: waits.forPerson,
  };
}

function hasItsName({ status = {} }: MacHostObject, { metadata }: MachineObject): boolean {
  return status.observed?.name === metadata.name || wasOwned(status);
}

function awaitName({ metadata, status }: MacHostObject): Decision {
  if (status?.reason !== 'ServerNameTaken')
    return {
      reason: 'Adopting',
      detail: 'the server gets the name of the machine',
      lookAgainMs: waits.forStep,
    };
  return {
    reason: 'ServerNameTaken',
    detail: `another server has the name of the machine, so host ${metadata.name} cannot get it`,
    lookAgainMs: waits.forHost,
  };
}

function isRecorded({ spec, status = {} }: MachineObject, host: MacHostObject): boolean {
  const isBoundTo = status.serverID === host.metadata.name && status.ready === true;
  const { zone } = host.status?.observed ?? {};
  const { providerID } = spec ?? {};
  const isNamed = zone === undefined || providerID === providerIdOf(zone, host.metadata.name);
  return isBoundTo && hasAddress(status, host) && isNamed;
}

function hasAddress({ addresses = [] }: NonNullable<MachineObject['status']>, host: MacHostObject): boolean {
  const ip = host.status?.observed?.ip;
  return ip === undefined || addresses.some(({ address }) => address === ip);
}
