/**
 * Decides about a cluster for which nothing has to be built. The infrastructure exists and the control plane is
 * managed elsewhere, so both objects report ready at once, with or without Cluster API. Only one foreign object is
 * written: on a Cluster without a control plane, `ControlPlaneInitialized` is set, because no other controller sets
 * it and machines do not join without it.
 */
import type { Reason } from '../../api/conditions/reasons.ts';
import {
  controlPlanes,
  infraClusters,
  type ControlPlaneObject,
  type FoundCluster,
  type InfraClusterObject,
} from '../state/cluster-objects.ts';
import { isPaused } from '../state/objects.ts';
import type { Plan } from '../../kube/reconciler/plan.ts';
import { isDeleting, keyOf, type KubeObject } from '../../kube/client/kube-object.ts';

export type Half =
  | { readonly kind: 'infrastructure'; readonly object: InfraClusterObject }
  | { readonly kind: 'control-plane'; readonly object: ControlPlaneObject };

/**
 * `unowned`: no Cluster owns the object yet. `missing`: the Cluster does not exist, or Cluster API is not installed.
 */
export type Above = FoundCluster | 'unowned' | 'missing';

export interface Observed {
  readonly now: number;
  readonly half: Half;
  readonly above: Above;
}

export interface Action {
  readonly kind: 'open-gate';
}

export interface Decision {
  readonly reason: Reason;
  readonly detail: string;
  /** Whether the status of the object may be written. */
  readonly mayReport: boolean;
  readonly action?: Action;
  readonly lookAgainMs?: number;
}

/** The condition of the Cluster that Cluster API requires before machines may join. */
export const gateCondition = 'ControlPlaneInitialized' satisfies Reason;
/** Clusters are polled, because their kind may not be installed. */
const waits = { whilePaused: 30_000, forCluster: 60_000, again: 10 * 60_000 };

export function plan(observed: Observed): Plan<Action> {
  const { now, half } = observed;
  const { reason, detail, action, lookAgainMs } = decide(observed);
  return {
    actions: action === undefined ? [] : [action],
    notes: [{ subject: `${kindOf(half)}/${keyOf(half.object)}`, reason, detail }],
    ...(lookAgainMs !== undefined && { requeueAt: now + lookAgainMs }),
  };
}

export function decide({ half, above }: Observed): Decision {
  if (isDeleting(half.object))
    return {
      reason: 'Deleting',
      detail: 'nothing was built for the cluster, so nothing is removed',
      mayReport: false,
    };
  if (isPaused(half.object) || isPausedAbove(above))
    return {
      reason: 'Paused',
      detail: 'the cluster is paused',
      mayReport: false,
      lookAgainMs: waits.whilePaused,
    };
  return half.kind === 'control-plane' ? controlPlane : infrastructure(half.object, above);
}

const controlPlane: Decision = {
  reason: 'ManagedElsewhere',
  detail: 'the control plane is run by something other than Cluster API',
  mayReport: true,
};

function infrastructure(object: InfraClusterObject, above: Above): Decision {
  const reported = { reason: 'NothingToProvision', mayReport: true } as const;
  if (above === 'unowned') return { ...reported, detail: 'no Cluster owns the object yet' };
  if (above === 'missing')
    return { ...reported, detail: 'the owning Cluster does not exist', lookAgainMs: waits.forCluster };
  if (!wantsGateOpened(above, object))
    return {
      ...reported,
      detail: 'the Cluster is ready',
      lookAgainMs: waits.again,
    };
  return {
    ...reported,
    detail: 'the Cluster names no control plane, so its ControlPlaneInitialized condition is set',
    action: { kind: 'open-gate' },
    lookAgainMs: waits.forCluster,
  };
}

/** Only for a Cluster that references this infrastructure and names no control plane. */
export function wantsGateOpened({ object }: FoundCluster, { metadata }: KubeObject): boolean {
  const { infrastructureRef, controlPlaneRef } = object.spec ?? {};
  if (isDeleting(object) || controlPlaneRef?.name !== undefined) return false;
  if (infrastructureRef?.kind !== infraClusters.kind || infrastructureRef.name !== metadata.name)
    return false;
  const { conditions = [] } = object.status ?? {};
  return !conditions.some(({ type, status }) => type === gateCondition && status === 'True');
}

export function isPausedAbove(above: Above): boolean {
  return typeof above === 'object' && (above.object.spec?.paused === true || isPaused(above.object));
}

function kindOf({ kind }: Half): string {
  return kind === 'infrastructure' ? infraClusters.kind : controlPlanes.kind;
}
