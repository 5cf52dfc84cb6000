/**
 * Decides what to do about a machine: find a host, record it, release it. The order of the checks is the
 * specification: deletion before the pause, and the pause before anything that would take a host.
 */
import { hasFinalizer, hostOf, isBound, isPaused } from '../state/objects.ts';
import type { Plan } from '../../kube/reconciler/plan.ts';
import { isDeleting, keyOf } from '../../kube/client/kube-object.ts';
import { waits, type Action, type Decision, type Observed } from './decision.ts';
import { awaitInventory, claimHost, findHost } from './adoption/find-host.ts';
import { bindAgain, hostMissing, publish } from './binding/bind-host.ts';
import { planDeletion } from './deletion/plan-deletion.ts';
import { awaitHold, holdFirst } from './hold/operator-hold.ts';
import { hostFromProviderId, bindingToRestore } from './binding/restore-binding.ts';

export function plan(observed: Observed): Plan<Action> {
  const { machine, now } = observed;
  const { reason, detail, action, lookAgainMs } = decide(observed);
  return {
    actions: action === undefined ? [] : [action],
    notes: [{ subject: keyOf(machine), reason, detail }],
    ...(lookAgainMs !== undefined && { requeueAt: now + lookAgainMs }),
  };
}

export function decide(observed: Observed): Decision {
  const { machine } = observed;
  if (isDeleting(machine)) return rememberLeaving(observed) ?? planDeletion(observed);
  // Also for a paused machine: without a finalizer it could be deleted unseen, and its host would be lost.
  if (hostOf(machine) !== undefined && !hasFinalizer(machine))
    return {
      reason: 'Adopting',
      detail: 'the machine gets its finalizer',
      action: { kind: 'add-finalizer' },
      isSilent: true,
    };
  // mutation: paused-machine-gets-no-host
  if (isPaused(machine)) return holdFirst(observed) ?? { reason: 'Paused', detail: 'the machine is paused' };
  return awaitCluster(observed) ?? adopt(observed);
}

/** Clusters are not watched for un-pause, so the machine polls. */
function awaitCluster({ clusterReadiness }: Observed): Decision | undefined {
  if (clusterReadiness === 'ready') return undefined;
  const lookAgainMs = waits.forCluster;
  // mutation: paused-cluster-is-polled
  if (clusterReadiness === 'paused')
    return { reason: 'Paused', detail: 'the Cluster of the machine is paused', lookAgainMs };
  const detail = 'the Cluster is not provisioned yet, or no Machine owns the machine';
  return { reason: 'NotYetObserved', detail, lookAgainMs };
}

function adopt(observed: Observed): Decision {
  const { machine, heldFor } = observed;
  // mutation: unpaused-machine-lifts-hold
  if (heldFor !== undefined) return resumed(heldFor);
  const restoreBinding = remember(observed);
  // mutation: restore-binding-first
  if (restoreBinding !== undefined) return restoreBinding;
  // mutation: machine-keeps-bound-host
  return hostOf(machine) === undefined ? findHost(observed) : keepHost(observed);
}

/** The machine names a host: the claim may be missing, in flight, stored, or another machine's. */
function keepHost(observed: Observed): Decision {
  const { machine, host } = observed;
  if (host === undefined) return isBound(machine) ? hostMissing(observed) : findHost(observed);
  if (host.spec?.claim?.uid === machine.metadata.uid) return publish(observed, host);
  // mutation: bound-machine-binds-again
  if (isBound(machine)) return bindAgain(observed, host);
  return claimHost(observed, host);
}

function resumed(hostId: string): Decision {
  return {
    reason: 'Adopting',
    detail: `the machine was unpaused and takes back host ${hostId}, which was held for it`,
    action: { kind: 'resume', hostId },
    lookAgainMs: waits.forStep,
  };
}

/** A cleared server id of a paused machine is deliberate: the id is not restored from the providerID. */
function rememberLeaving(observed: Observed): Decision | undefined {
  const { machine, isTakenOff = false } = observed;
  // mutation: cleared-machine-is-not-restored
  if (isTakenOff) return hasFinalizer(machine) ? (holdFirst(observed) ?? awaitHold(observed)) : undefined;
  return remember(observed);
}

/** Runs before any host is taken or released. */
function remember(observed: Observed): Decision | undefined {
  const { machine, forgotten } = observed;
  switch (hasTurned(observed) ? 'none' : bindingToRestore(machine, forgotten)) {
    case 'none':
      return undefined;
    case 'missing':
      return isDeleting(machine) ? undefined : hostMissing(observed);
    case 'unnamed':
      return awaitInventory(observed);
    case 'restore-binding':
      return restored(hostFromProviderId(machine) ?? '');
  }
}

/** The machine already holds another host. */
function hasTurned({ machine, host, forgotten }: Observed): boolean {
  return host !== forgotten && host?.spec?.claim?.uid === machine.metadata.uid;
}

function restored(hostId: string): Decision {
  return {
    reason: 'Adopting',
    detail: `the status of the machine was lost, and its providerID names host ${hostId}`,
    action: { kind: 'restore-binding', hostId },
  };
}
