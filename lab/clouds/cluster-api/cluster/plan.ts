/**
 * Decides about a Cluster: own its referenced objects, copy their status, and at the end delete all of them in order.
 */
import type { Said } from '../../../../src/kube/reconciler/conditions.ts';
import type { Plan } from '../../../../src/kube/reconciler/plan.ts';
import { keyOf } from '../../../../src/kube/client/kube-object.ts';
import { isPaused, isTrue, saidPaused, withSaid } from '../conditions.ts';
import { isInitialized, isProvisioned, type Found } from '../foreign.ts';
import { clusters, finalizers, labels, type Cluster, type Endpoint } from '../kinds.ts';
import { ownerReference, isHeld, isDeleting, isOwnedBy, type Step, type Target } from '../step.ts';

export interface ObservedCluster {
  readonly now: number;
  readonly cluster: Cluster;
  readonly infrastructure: Found | undefined;
  readonly controlPlane: Found | undefined;
  /** Deployments, sets and Machines; listed only when the Cluster is being deleted. */
  readonly dependents: readonly Target[];
}

export function planCluster(observed: ObservedCluster): Plan<Step> {
  const { now, cluster } = observed;
  const steps = isPaused(cluster, cluster) ? [] : stepsFor(observed);
  const isWaiting = isDeleting(cluster);
  return { actions: steps, notes: notesOn(observed), ...(isWaiting && { requeueAt: now + 5000 }) };
}

function stepsFor(observed: ObservedCluster): readonly Step[] {
  const { cluster, infrastructure, controlPlane } = observed;
  const target: Target = { resource: clusters, object: cluster };
  if (isDeleting(cluster)) return leavingSteps(observed, target);
  if (!isHeld(cluster, finalizers.cluster))
    return [{ kind: 'add-finalizer', target, finalizer: finalizers.cluster }];
  const owned = [infrastructure, controlPlane].flatMap((found) => owningStep(cluster, found));
  return [...owned, ...endpointSteps(observed, target)];
}

/** The order of these checks is the order of the deletion. */
function leavingSteps(
  { cluster, dependents, controlPlane, infrastructure }: ObservedCluster,
  target: Target,
): readonly Step[] {
  if (!isHeld(cluster, finalizers.cluster)) return [];
  if (dependents.length > 0) return deletions(dependents.filter(({ object }) => isOwnedBy(object, cluster)));
  if (controlPlane !== undefined) return deletions([controlPlane]);
  if (infrastructure !== undefined) return deletions([infrastructure]);
  return [{ kind: 'remove-finalizer', target, finalizer: finalizers.cluster }];
}

function deletions(targets: readonly Target[]): readonly Step[] {
  return targets.filter(({ object }) => !isDeleting(object)).map((target) => ({ kind: 'delete', target }));
}

function owningStep(cluster: Cluster, found: Found | undefined): readonly Step[] {
  if (found === undefined) return [];
  const { object, resource } = found;
  const { labels: had = {}, ownerReferences = [] } = object.metadata;
  const isOwned = isOwnedBy(object, cluster);
  if (isOwned && had[labels.cluster] === cluster.metadata.name) return [];
  const owner = ownerReference({ resource: clusters, object: cluster });
  const metadata = {
    labels: { [labels.cluster]: cluster.metadata.name },
    ...(!isOwned && { ownerReferences: [...ownerReferences, owner] }),
  };
  return [{ kind: 'change', target: { resource, object }, merge: { metadata } }];
}

function endpointSteps({ cluster, infrastructure }: ObservedCluster, target: Target): readonly Step[] {
  if (infrastructure === undefined || !isProvisioned(infrastructure)) return [];
  const controlPlaneEndpoint = infrastructure.object.spec?.controlPlaneEndpoint;
  if (isValid(cluster.spec.controlPlaneEndpoint) || !isValid(controlPlaneEndpoint)) return [];
  return [{ kind: 'change', target, merge: { spec: { controlPlaneEndpoint } } }];
}

function isValid(endpoint: Endpoint | undefined): boolean {
  return (
    endpoint?.host !== undefined && endpoint.host !== '' && endpoint.port !== undefined && endpoint.port > 0
  );
}

function notesOn({ cluster, infrastructure, dependents }: ObservedCluster): Plan<Step>['notes'] {
  const subject = keyOf(cluster);
  if (isPaused(cluster, cluster)) return [{ subject, reason: 'Paused', detail: 'the object is paused' }];
  if (dependents.length > 0)
    return [{ subject, reason: 'Leaving', detail: `${dependents.length} objects must be deleted first` }];
  if (infrastructure === undefined || !isProvisioned(infrastructure))
    return [{ subject, reason: 'Unprovisioned', detail: 'its infrastructure is not provisioned yet' }];
  return [];
}

/** A status that was set once stays set. */
export function statusOfCluster({
  now,
  cluster,
  infrastructure,
  controlPlane,
}: ObservedCluster): NonNullable<Cluster['status']> {
  const { status = {} } = cluster;
  if (isPaused(cluster, cluster))
    return { ...status, conditions: withSaid(cluster, [saidPaused(true)], now) };
  const { initialization = {} } = status;
  const isThere =
    initialization.infrastructureProvisioned === true ||
    (infrastructure !== undefined && isProvisioned(infrastructure));
  const isUp =
    initialization.controlPlaneInitialized === true ||
    (controlPlane !== undefined && isInitialized(controlPlane));
  return {
    ...status,
    phase: phaseOf(cluster, isThere),
    initialization: {
      ...initialization,
      ...(isThere && { infrastructureProvisioned: true }),
      ...(isUp && { controlPlaneInitialized: true }),
    },
    conditions: withSaid(cluster, [saidPaused(false), ...saidInitialized(cluster, isUp)], now),
  };
}

/** Another writer may have set the condition: then it stays. */
function saidInitialized(cluster: Cluster, isUp: boolean): readonly Said[] {
  if (isTrue(cluster, 'ControlPlaneInitialized')) return [];
  return isUp
    ? [{ type: 'ControlPlaneInitialized', status: 'True', reason: 'Initialized' }]
    : [{ type: 'ControlPlaneInitialized', status: 'False', reason: 'NotInitialized' }];
}

function phaseOf(cluster: Cluster, isThere: boolean): string {
  if (isDeleting(cluster)) return 'Deleting';
  if (isThere && isValid(cluster.spec.controlPlaneEndpoint)) return 'Provisioned';
  const { infrastructureRef, controlPlaneRef } = cluster.spec;
  return infrastructureRef === undefined && controlPlaneRef === undefined ? 'Pending' : 'Provisioning';
}
