/** What becomes of a machine that is deleted: it gives up what it has, and only then it goes. */
import type { MacHostObject } from '../state/objects.ts';
import { mustRelease, releaseFor } from './release-order.ts';
import type { Decision, Observed } from './decision.ts';
import { hostFromProviderId } from './restore-binding.ts';
import { isBound, hasFinalizer, namesOnlyGone } from './machine-predicates.ts';
import { waits } from './poll-intervals.ts';

/** The act asks for it; while the server is there, the next inventory has to make its object first. */
const askedAfter: Decision = {
  reason: 'Releasing',
  detail:
    'there is no object for its host; it goes when there is one, or when the provider says that the server is gone',
};

export function planDeletion(observed: Observed): Decision {
  const { machine, host, isShared } = observed;
  if (!hasFinalizer(machine)) return { reason: 'Deleting', detail: 'it waits for others to let it go' };
  const wasServed = isBound(machine) || hostFromProviderId(machine) !== undefined;
  if (host === undefined && wasServed) return { ...askedAfter, action: { kind: 'let-go' } };
  // mutation: deletion-does-not-wait-for-wipe
  if (host === undefined || !mustRelease(host, machine, isShared)) return goes(observed);
  // mutation: finalizer-waits-for-order
  return giveUp(observed, host);
}

/** Only a host that was ordered back into the pool was released. */
function goes({ machine, host }: Observed): Decision {
  const { release } = host?.spec ?? {};
  const isReleased = release?.policy === 'pool' && release.machineUid === machine.metadata.uid;
  return {
    ...(isReleased
      ? { reason: 'Released', detail: `its host ${host?.metadata.name} is wiped and offered again` }
      : { reason: 'Deleting', detail: 'it has no host to give up, and goes' }),
    action: { kind: 'let-go' },
  };
}

function giveUp(observed: Observed, host: MacHostObject): Decision {
  const { machine, isShared, isNamedByPerson } = observed;
  const hostId = host.metadata.name;
  if (isShared)
    return {
      reason: 'SharedHost',
      detail: `it leaves ${hostId} to other machines that speak for it`,
      action: { kind: 'give-up', hostId, release: { kind: 'others' } },
    };
  if (isNamedByPerson)
    return {
      reason: 'NamedByPerson',
      detail: `it leaves ${hostId} to the person who named its server ${host.status?.observed?.name}`,
      action: { kind: 'give-up', hostId, release: { kind: 'person' } },
    };
  const release = releaseFor(host, machine, observed);
  const reason = { terminate: 'Deleting', pool: 'Releasing', skip: 'ReleaseSkipped' } as const;
  return {
    reason: reason[release.kind],
    detail: `it gives ${hostId} up`,
    action: { kind: 'give-up', hostId, release },
  };
}

/** The host of a machine that was taken off it may be one that no inventory has shown: the machine stays until the hold is written. */
export function awaitHold(observed: Observed): Decision | undefined {
  const { machine, isListed, unseen, heldFor } = observed;
  if (namesOnlyGone(machine)) return undefined;
  // mutation: cleared-machine-awaits-hold
  if (unseen === undefined && (isListed || heldFor !== undefined)) return undefined;
  return {
    reason: 'Releasing',
    detail: `status.serverID was cleared while the machine is paused; the machine goes once an inventory has shown ${unseen ?? 'its host'}, and the host is kept aside`,
    lookAgainMs: waits.forStep,
  };
}

/** An operator cleared the server id of the paused machine: its host is held before anything else is done. */
export function holdFirst({ toHold }: Observed): Decision | undefined {
  if (toHold === undefined) return undefined;
  return {
    reason: 'Paused',
    detail: `status.serverID was cleared while the machine is paused, so host ${toHold} is kept aside`,
    action: { kind: 'hold', hostId: toHold },
  };
}
