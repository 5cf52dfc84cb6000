/**
 * What to do about one machine: take a host, say what it has, and give it back. The order of the questions is the
 * specification: deletion comes before the pause, and the pause before anything that would take a host.
 */
import { finalizers } from '../../api/finalizers.ts';
import { providerIdOf } from '../../api/provider-id.ts';
import type { Reason } from '../../api/reasons.ts';
import { candidatesFor, countRefusals, refusals } from '../../fleet/candidates.ts';
import {
  hostOf,
  isLeaving,
  isPaused,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../../fleet/objects.ts';
import type { Release } from '../../fleet/release-policy.ts';
import { goneStatus, type HostRecord } from '../../fleet/host-situation.ts';
import type { Plan } from '../../runtime/controller/plan.ts';
import { keyOf } from '../../runtime/kube/kube-object.ts';
import { isGivenUpBy, releaseFor } from './order.ts';
import { hindranceOf, isCalledForIt, wishOf, zonesOf, type PoolRules } from './wish.ts';

/** Of the Cluster API objects above the machine, if there are any. */
export type Gate = 'open' | 'paused' | 'not-ready';

export interface Observed extends PoolRules {
  readonly now: number;
  readonly machine: MachineObject;
  /** The host that the machine means, if there is such an object. */
  readonly host: MacHostObject | undefined;
  /** Other machines that stay say that they have this host too. */
  readonly isShared: boolean;
  /** Every host, for one that has none yet. Free ones that another machine is about to take are left out. */
  readonly hosts: readonly MacHostObject[];
  readonly gate: Gate;
  /** An inventory of its zone was taken up; before that, a host without an object may exist all the same. */
  readonly isListed: boolean;
  /** A machine of the same name in another namespace that came first. */
  readonly namesake?: string | undefined;
}

export type Action =
  /** Put the finalizer on it, without which it could go and leave its host behind. */
  | { readonly kind: 'guard' }
  /** Say which host it is going to claim; the finalizer is stored with it. */
  | { readonly kind: 'intend'; readonly hostId: string }
  | { readonly kind: 'claim'; readonly hostId: string }
  /** Write down what the machine has: host, addresses, credentials. */
  | { readonly kind: 'record' }
  | { readonly kind: 'give-up'; readonly hostId: string; readonly release: Release | LeftToOthers }
  | { readonly kind: 'let-go' };

/** It is not wiped: it goes on serving those that share it. */
interface LeftToOthers {
  readonly kind: 'others';
}

export interface Decision {
  readonly reason: Reason;
  readonly detail: string;
  readonly action?: Action;
  readonly lookAgainMs?: number;
  /** It knows nothing new: what the machine says already stays. */
  readonly isSilent?: true;
}

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
  if (isLeaving(machine)) return leave(observed);
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
  return hostOf(machine) === undefined ? look(observed) : claimed(observed);
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
  if (host === undefined && isBound(machine)) return observed.isListed ? lostHost : unlisted(observed);
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

/** The next inventory finds it again, unless it is gone; another one is not taken as long as nobody knows. */
const lostHost: Decision = {
  reason: 'HostGone',
  detail: 'there is no object for its host',
  lookAgainMs: waits.forHost,
};

/** A machine that was served before the object of its host was lost takes it back; from nobody else. */
function bindAgain(observed: Observed, host: MacHostObject): Decision {
  const { machine, isShared } = observed;
  const { claim, release, hold } = host.spec ?? {};
  const hostId = host.metadata.name;
  if (isShared && claim === undefined)
    return {
      reason: 'ScalewayAdoptFailed',
      detail: `other machines say too that they have ${hostId}; delete all but one of them`,
      lookAgainMs: waits.forPerson,
    };
  if (claim === undefined && isCalledForIt(host, machine, observed) === false)
    return notItsOwn(host, machine);
  if (claim === undefined && release === undefined && hold === undefined)
    return { reason: 'Adopting', detail: `it takes ${hostId} back`, action: { kind: 'claim', hostId } };
  const by =
    claim === undefined ? 'it is being given up or kept aside' : `${claim.namespace}/${claim.name} holds it`;
  return {
    reason: 'ScalewayAdoptFailed',
    detail: `${keyOf(machine)} says that it has ${hostId}, but ${by}`,
    lookAgainMs: waits.forPerson,
  };
}

/** Its status was written by hand, or the server has another user by now. */
function notItsOwn(host: MacHostObject, machine: MachineObject): Decision {
  return {
    reason: 'ScalewayAdoptFailed',
    detail: `${keyOf(machine)} says that it has ${host.metadata.name}, but that is called ${host.status?.observed?.name}`,
    lookAgainMs: waits.forPerson,
  };
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

function isBound({ status }: MachineObject): boolean {
  return status?.serverID !== undefined && status.serverID !== '';
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

/** The act asks for it; while the server is there, the next inventory has to make its object first. */
const askedAfter: Decision = {
  reason: 'Releasing',
  detail:
    'there is no object for its host; it goes when there is one, or when the provider says that the server is gone',
};

export function isGuarded({ metadata }: MachineObject): boolean {
  return metadata.finalizers?.includes(finalizers.machine.key) === true;
}

function leave(observed: Observed): Decision {
  const { machine, host, isShared } = observed;
  if (!isGuarded(machine)) return { reason: 'Deleting', detail: 'it waits for others to let it go' };
  if (host === undefined && isBound(machine)) return { ...askedAfter, action: { kind: 'let-go' } };
  if (host === undefined || !isGivenUpBy(host, machine, isShared))
    return { reason: 'Released', detail: 'nothing of it is left', action: { kind: 'let-go' } };
  return giveUp(observed, host);
}

function giveUp(observed: Observed, host: MacHostObject): Decision {
  const { machine, isShared } = observed;
  const release = releaseFor(host, machine, observed);
  const reason = { terminate: 'Deleting', pool: 'Releasing', skip: 'ReleaseSkipped' } as const;
  const hostId = host.metadata.name;
  if (isShared)
    return {
      reason: 'Released',
      detail: `it leaves ${hostId} to other machines that say they have it`,
      action: { kind: 'give-up', hostId, release: { kind: 'others' } },
    };
  return {
    reason: reason[release.kind],
    detail: `it gives ${hostId} up`,
    action: { kind: 'give-up', hostId, release },
  };
}
