/** The deletion of a machine: it releases its hosts first, and then loses its finalizer. */
import { hasFinalizer, isBound, type MacHostObject } from '../../state/objects.ts';
import { mustRelease, releaseFor } from './release-order.ts';
import type { Decision, Observed } from '../decision.ts';
import { hostFromProviderId } from '../binding/restore-binding.ts';

/** The action asks the provider. While the server exists, the next inventory must create the MacHost first. */
const askedAfter: Decision = {
  reason: 'Releasing',
  detail:
    'the host has no MacHost; the machine is deleted once it has one, or once the provider reports that the server is gone',
};

export function planDeletion(observed: Observed): Decision {
  const { machine, host, isShared } = observed;
  if (!hasFinalizer(machine))
    return { reason: 'Deleting', detail: 'the machine waits for finalizers of other controllers' };
  const wasServed = isBound(machine) || hostFromProviderId(machine) !== undefined;
  if (host === undefined && wasServed) return { ...askedAfter, action: { kind: 'remove-finalizer' } };
  // mutation: deletion-does-not-wait-for-wipe
  if (host === undefined || !mustRelease(host, machine, isShared)) return goes(observed);
  // mutation: finalizer-waits-for-order
  return giveUp(observed, host);
}

/** Only a host with an order to return to the pool counts as released. */
function goes({ machine, host }: Observed): Decision {
  const { release } = host?.spec ?? {};
  const isReleased = release?.policy === 'pool' && release.machineUid === machine.metadata.uid;
  return {
    ...(isReleased
      ? { reason: 'Released', detail: `host ${host?.metadata.name} is wiped and returned to the pool` }
      : { reason: 'Deleting', detail: 'the machine has no host to release, and is deleted' }),
    action: { kind: 'remove-finalizer' },
  };
}

function giveUp(observed: Observed, host: MacHostObject): Decision {
  const { machine, isShared, isNamedByPerson } = observed;
  const hostId = host.metadata.name;
  if (isShared)
    return {
      reason: 'SharedHost',
      detail: `the machine leaves host ${hostId} to other machines that speak for it`,
      action: { kind: 'give-up', hostId, release: { kind: 'others' } },
    };
  if (isNamedByPerson)
    return {
      reason: 'NamedByPerson',
      detail: `the machine leaves host ${hostId} to the person who named its server ${host.status?.observed?.name}`,
      action: { kind: 'give-up', hostId, release: { kind: 'person' } },
    };
  const release = releaseFor(host, machine, observed);
  const reason = { terminate: 'Deleting', pool: 'Releasing', skip: 'ReleaseSkipped' } as const;
  return {
    reason: reason[release.kind],
    detail: `the machine releases host ${hostId}`,
    action: { kind: 'give-up', hostId, release },
  };
}
