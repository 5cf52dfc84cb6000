/**
 * What to do about one machine: take a host, say what it has, and give it back. The order of the questions is the
 * specification: deletion comes before the pause, and the pause before anything that would take a host.
 */
import { annotations } from '../../api/annotations.ts';
import { providerIdOf } from '../../api/provider-id.ts';
import { candidatesFor, countRefusals, refusals } from '../../fleet/candidates.ts';
import {
  hostOf,
  isLeaving,
  isPaused,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../../fleet/objects.ts';
import { goneStatus, type Claim, type HostRecord } from '../../fleet/host-situation.ts';
import type { Plan } from '../../runtime/controller/plan.ts';
import { keyOf } from '../../runtime/kube/kube-object.ts';
import type { Action, Decision, Observed } from './decision.ts';
import { leave } from './leave.ts';
import { forgottenHostOf, otherClaimOn, recallOf } from './recall.ts';
import { isBound, isGuarded } from './stored.ts';
import { hindranceOf, isCalledForIt, wishOf, zonesOf } from './wish.ts';

const waits = { forHost: 60_000, forPerson: 5 * 60_000, forCluster: 5000, forStep: 15_000 };

export function plan(observed: Observed): Plan<Action> {
  const { machine, now } = observed;
  const { reason, detail, action, lookAgainMs } = decide(observed);
  return {
    actions: action === undefined ? [] : [action],
    notes: [{ subject: keyOf(machine), reason, detail }],
    ...(lookAgainMs !== undefined && { lookAgainAt: now + lookAgainMs }),
  };
}

export function decide(observed: Observed): Decision {
  const { machine, gate } = observed;
  if (isLeaving(machine)) return remember(observed) ?? leave(observed);
  // Also of one that is paused: a host whose machine can vanish unseen is lost.
  if (hostOf(machine) !== undefined && !isGuarded(machine))
    return { reason: 'Adopting', detail: 'it gets its finalizer', action: { kind: 'guard' }, isSilent: true };
  if (isPaused(machine)) return { reason: 'Paused', detail: 'it is paused' };
  // Nobody tells when a Cluster goes on.
  if (gate === 'paused')
    return { reason: 'Paused', detail: 'its Cluster is paused', lookAgainMs: waits.forCluster };
  if (gate === 'not-ready')
    return {
      reason: 'NotYetObserved',
      detail: 'its Cluster is not provisioned yet, or no Machine has taken it as its own',
      lookAgainMs: waits.forCluster,
    };
  return remember(observed) ?? (hostOf(machine) === undefined ? look(observed) : claimed(observed));
}

/** Before anything is taken or given up. */
function remember(observed: Observed): Decision | undefined {
  const { machine, forgotten } = observed;
  switch (hasTurned(observed) ? 'none' : recallOf(machine, forgotten)) {
    case 'none':
      return undefined;
    case 'missing':
      return isLeaving(machine) ? undefined : withoutObject(observed);
    case 'unnamed':
      return unlisted(observed);
    case 'recall':
      return recalled(forgottenHostOf(machine) ?? '');
  }
}

/** To another one, which it holds. */
function hasTurned({ machine, host, forgotten }: Observed): boolean {
  return host !== forgotten && host?.spec?.claim?.uid === machine.metadata.uid;
}

function recalled(hostId: string): Decision {
  return {
    reason: 'Adopting',
    detail: `its status was lost, and its providerID names ${hostId}`,
    action: { kind: 'recall', hostId },
  };
}

function look(observed: Observed): Decision {
  const { machine, hosts, namesake } = observed;
  const records = hosts.map(recordOf);
  const own = records.find((host) => isHeldBy(host, machine));
  if (own?.spec.hold !== undefined)
    return {
      reason: 'Quarantined',
      detail: `its host ${own.id} is kept aside`,
      lookAgainMs: waits.forPerson,
    };
  const hindrance = own === undefined ? hindranceOf(machine, observed, namesake) : undefined;
  if (hindrance !== undefined) return { ...hindrance, lookAgainMs: waits.forPerson };
  const first = own ?? freeFor(observed, records);
  if (first !== undefined)
    return {
      reason: 'Adopting',
      detail: `it takes ${first.id}`,
      action: { kind: 'intend', hostId: first.id },
    };
  return noneFor(observed, records);
}

function freeFor(observed: Observed, records: readonly HostRecord[]): HostRecord | undefined {
  const wish = wishOf(observed.machine, observed);
  return wish && candidatesFor(records, wish)[0];
}

function noneFor(observed: Observed, records: readonly HostRecord[]): Decision {
  if (!observed.isListed) return unlisted(observed);
  const wish = wishOf(observed.machine, observed);
  const counts = [...(wish === undefined ? [] : countRefusals(records, wish))].map(
    ([refusal, count]) => `${count}: ${refusals[refusal]}`,
  );
  const others = counts.length === 0 ? 'there is no host in the zone' : counts.join('; ');
  return {
    reason: 'NoAvailableHost',
    detail: `no free ${wish?.type} with ${wish?.os} in ${wish?.zone}; ${others}`,
    lookAgainMs: waits.forHost,
  };
}

/** Somebody made the machine forget it; a second one would be one too many. */
function isHeldBy({ spec }: HostRecord, { metadata }: MachineObject): boolean {
  return spec.claim?.uid === metadata.uid && spec.release === undefined;
}

/** It means a host: the claim may be missing, on its way, there, or another's. */
function claimed(observed: Observed): Decision {
  const { machine, host } = observed;
  if (host === undefined && isBound(machine)) return withoutObject(observed);
  if (host === undefined) return look(observed);
  const { claim } = host.spec ?? {};
  if (claim?.uid === machine.metadata.uid) return serve(observed, host);
  if (isBound(machine)) return bindAgain(observed, host);
  if (freeFor(observed, [recordOf(host)]) === undefined) return look(observed);
  return {
    reason: 'Adopting',
    detail: `it claims ${host.metadata.name}`,
    action: { kind: 'claim', hostId: host.metadata.name },
  };
}

/** A manager that has just begun to lead knows only the objects that others left. */
function unlisted({ machine }: Observed): Decision {
  return {
    reason: 'NotYetObserved',
    detail: `it waits for the first inventory of ${[...new Set(zonesOf(machine))].join(' and ')}`,
    lookAgainMs: waits.forStep,
    isSilent: true,
  };
}

function withoutObject(observed: Observed): Decision {
  return observed.isListed ? lostHost : unlisted(observed);
}

/** The next inventory finds it again, unless it is gone; another one is not taken as long as nobody knows. */
const lostHost: Decision = {
  reason: 'HostGone',
  detail: 'there is no object for its host',
  lookAgainMs: waits.forHost,
};

/** Somebody wrote another host onto it; a machine that took that one too would leave the first to be wiped under it. */
function torn(machine: MachineObject): Decision {
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
  const claim = otherClaimOn(host, machine);
  const hostId = host.metadata.name;
  if (machine.status?.serverID !== hostId) return torn(machine);
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

function doubtAbout(observed: Observed, host: MacHostObject): string | undefined {
  const { machine, isShared } = observed;
  const hostId = host.metadata.name;
  if (isShared) return `other machines say too that they have ${hostId}; delete all but one of them`;
  // Its status was written by hand, or the server has another user by now.
  if (isCalledForIt(host, machine, observed) === false)
    return `${keyOf(machine)} says that it has ${hostId}, but that is called ${host.status?.observed?.name}`;
  return undefined;
}

function keptBy(claim: Claim | undefined): string {
  return claim === undefined
    ? 'it is being given up or kept aside'
    : `${claim.namespace}/${claim.name} holds it`;
}

function serve({ machine }: Observed, host: MacHostObject): Decision {
  if (host.status?.observed?.status === goneStatus) return { ...lostHost, detail: 'its server is gone' };
  const isNamed = host.status?.observed?.name === machine.metadata.name || host.status?.state === 'Owned';
  if (!isNamed)
    return { reason: 'Adopting', detail: 'its host is given its name', lookAgainMs: waits.forStep };
  if (isRecorded(machine, host)) return { reason: 'Provisioned', detail: `it has ${host.metadata.name}` };
  return {
    reason: 'Adopting',
    detail: 'its host is written down',
    action: { kind: 'record' },
    // Should the password be missing, a person may have found it.
    lookAgainMs: waits.forPerson,
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
