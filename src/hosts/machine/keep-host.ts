/** What a machine that means a host does about that host: claim it, take it back, or write down that it is served by it. */
import { annotations } from '../../api/names/annotations.ts';
import { providerIdOf } from '../../api/names/provider-id.ts';
import { wasOwned } from '../state/host-transitions.ts';
import { goneStatus, type Claim } from '../state/host-record.ts';
import { hostOf, recordOf, type MacHostObject, type MachineObject } from '../state/objects.ts';
import { keyOf } from '../../kube/client/kube-object.ts';
import type { Decision, Observed } from './decision.ts';
import { findHost, freeHostFor, awaitInventory } from './find-host.ts';
import { ownServer } from './own-name.ts';
import { otherClaimOn } from './restore-binding.ts';
import { isBound } from './machine-predicates.ts';
import { waits } from './poll-intervals.ts';
import { serverNameMatches } from './host-requirements.ts';

/** It means a host: the claim may be missing, on its way, there, or another's. */
export function keepHost(observed: Observed): Decision {
  const { machine, host } = observed;
  if (host === undefined) return isBound(machine) ? hostMissing(observed) : findHost(observed);
  if (host.spec?.claim?.uid === machine.metadata.uid) return serve(observed, host);
  // mutation: bound-machine-binds-again
  if (isBound(machine)) return bindAgain(observed, host);
  if (!mayClaim(observed, host)) return findHost(observed);
  return {
    reason: 'Adopting',
    detail: `it claims ${host.metadata.name}`,
    action: { kind: 'claim', hostId: host.metadata.name },
  };
}

function mayClaim(observed: Observed, host: MacHostObject): boolean {
  const { machine, named } = observed;
  // mutation: machine-claims-meant-host-again
  if (observed.mayClaimAgain === true && named.length === 0) return true;
  if (named.length === 0) return freeHostFor(observed, [recordOf(host)]) !== undefined;
  // mutation: machine-keeps-server-of-its-name
  return ownServer(named, machine)?.metadata.name === host.metadata.name;
}

export function hostMissing(observed: Observed): Decision {
  return observed.isListed ? lostHost : awaitInventory(observed);
}

/** The next inventory finds it again, unless it is gone; another one is not taken as long as nobody knows. */
const lostHost: Decision = {
  reason: 'HostGone',
  detail: 'there is no object for its host',
  lookAgainMs: waits.forHost,
};

/** Somebody wrote another host onto it; a machine that took that one too would leave the first to be wiped under it. */
function bindingConflict(machine: MachineObject): Decision {
  return {
    reason: 'ScalewayAdoptFailed',
    detail: `it has ${machine.status?.serverID}, but its annotation ${annotations.host.key} names ${hostOf(machine)}; take the annotation off`,
    lookAgainMs: waits.forPerson,
  };
}

/** A machine that was served before the object of its host was lost takes it back; from nobody else. */
function bindAgain(observed: Observed, host: MacHostObject): Decision {
  const { machine } = observed;
  const { release, hold } = host.spec ?? {};
  const claim = isClaimOfNone(observed, host) ? undefined : otherClaimOn(host, machine);
  const hostId = host.metadata.name;
  if (machine.status?.serverID !== hostId) return bindingConflict(machine);
  const doubt = claim === undefined ? doubtAbout(observed, host) : undefined;
  if (doubt !== undefined)
    return { reason: 'ScalewayAdoptFailed', detail: doubt, lookAgainMs: waits.forPerson };
  if ((claim ?? release ?? hold) === undefined)
    return { reason: 'Adopting', detail: `it takes ${hostId} back`, action: { kind: 'claim', hostId } };
  return {
    reason: 'ScalewayAdoptFailed',
    detail: `${keyOf(machine)} says that it has ${hostId}, but ${keptBy(claim)}`,
    lookAgainMs: waits.forPerson,
  };
}

/** The server has the name of the machine, and the claim of its restored MacHost is of a machine that does not exist. */
function isClaimOfNone({ named }: Observed, { metadata }: MacHostObject): boolean {
  const own = named.find((server) => server.host.metadata.name === metadata.name);
  // mutation: claim-of-missing-machine
  return own?.ownership.claimant === 'missing';
}

function doubtAbout(observed: Observed, host: MacHostObject): string | undefined {
  const { machine, isServingOthers } = observed;
  const hostId = host.metadata.name;
  if (isServingOthers) return `other machines say too that they have ${hostId}; delete all but one of them`;
  // Its status was written by hand, or the server has another user by now.
  if (serverNameMatches(host, machine, observed) === false)
    return `${keyOf(machine)} says that it has ${hostId}, but that is called ${host.status?.observed?.name}`;
  return undefined;
}

function keptBy(claim: Claim | undefined): string {
  return claim === undefined
    ? 'it is being given up or kept aside'
    : `${claim.namespace}/${claim.name} holds it`;
}

function serve({ machine }: Observed, host: MacHostObject): Decision {
  // mutation: report-gone-server
  if (host.status?.observed?.status === goneStatus) return { ...lostHost, detail: 'its server is gone' };
  if (!hasItsName(host, machine)) return awaitName(host);
  if (isRecorded(machine, host)) return { reason: 'Provisioned', detail: `it has ${host.metadata.name}` };
  return {
    reason: 'Adopting',
    detail: 'its host is written down',
    action: { kind: 'record' },
    // Should the password be missing, a person may have found it.
    lookAgainMs: waits.forPerson,
  };
}

function hasItsName({ status = {} }: MacHostObject, { metadata }: MachineObject): boolean {
  return status.observed?.name === metadata.name || wasOwned(status);
}

function awaitName({ metadata, status }: MacHostObject): Decision {
  if (status?.reason !== 'ServerNameTaken')
    return { reason: 'Adopting', detail: 'its host is given its name', lookAgainMs: waits.forStep };
  return {
    reason: 'ServerNameTaken',
    detail: `another server has its name, so its host ${metadata.name} cannot be given that name`,
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
