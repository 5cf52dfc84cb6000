/** What becomes of a machine that is deleted: it gives up what it has, and only then it goes. */
import type { MacHostObject } from '../../fleet/objects.ts';
import { isGivenUpBy, releaseFor } from './order.ts';
import type { Decision, Observed } from './decision.ts';
import { forgottenHostOf } from './recall.ts';
import { isBound, isGuarded } from './stored.ts';

/** The act asks for it; while the server is there, the next inventory has to make its object first. */
const askedAfter: Decision = {
  reason: 'Releasing',
  detail:
    'there is no object for its host; it goes when there is one, or when the provider says that the server is gone',
};

export function leave(observed: Observed): Decision {
  const { machine, host, isShared } = observed;
  if (!isGuarded(machine)) return { reason: 'Deleting', detail: 'it waits for others to let it go' };
  const wasServed = isBound(machine) || forgottenHostOf(machine) !== undefined;
  if (host === undefined && wasServed) return { ...askedAfter, action: { kind: 'let-go' } };
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
