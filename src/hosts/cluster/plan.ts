/**
 * What to say of a cluster that needs nothing built. Its infrastructure is there and its control plane is run by
 * something else, so both halves say so at once, whether or not Cluster API is installed. Only one thing is done to an
 * object that is not ours: a Cluster that names no control plane is told that it has one, for nobody else can open that
 * gate, and machines do not join while it is shut.
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

/** `unowned`: no Cluster has taken it yet. `missing`: there is no such Cluster, or no Cluster API. */
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
  /** Whether it may be written what the half says of itself. */
  readonly mayReport: boolean;
  readonly action?: Action;
  readonly lookAgainMs?: number;
}

/** Of the Cluster: what Cluster API waits for before machines may join. */
export const gateCondition = 'ControlPlaneInitialized' satisfies Reason;
/** The Cluster is not watched, because there may be no such kind; it is looked at again instead. */
const waits = { whilePaused: 30_000, forCluster: 60_000, again: 10 * 60_000 };

export function plan(observed: Observed): Plan<Action> {
  const { now, half } = observed;
  const { reason, detail, action, lookAgainMs } = decide(observed);
  return {
    actions: action === undefined ? [] : [action],
    notes: [{ subject: `${kindOf(half)}/${keyOf(half.object)}`, reason, detail }],
    ...(lookAgainMs !== undefined && { lookAgainAt: now + lookAgainMs }),
  };
}

export function decide({ half, above }: Observed): Decision {
  if (isDeleting(half.object))
    return { reason: 'Deleting', detail: 'nothing was built for it, so nothing is undone', mayReport: false };
  if (isPaused(half.object) || isPausedAbove(above))
    return { reason: 'Paused', detail: 'it is paused', mayReport: false, lookAgainMs: waits.whilePaused };
  return half.kind === 'control-plane' ? controlPlane : infrastructure(half.object, above);
}

const controlPlane: Decision = {
  reason: 'ManagedElsewhere',
  detail: 'the control plane is run by something other than Cluster API',
  mayReport: true,
};

function infrastructure(object: InfraClusterObject, above: Above): Decision {
  const reported = { reason: 'NothingToProvision', mayReport: true } as const;
  if (above === 'unowned') return { ...reported, detail: 'no Cluster has taken it yet' };
  if (above === 'missing')
    return { ...reported, detail: 'its Cluster does not exist', lookAgainMs: waits.forCluster };
  if (!wantsGateOpened(above, object))
    return {
      ...reported,
      detail: 'its Cluster has all that it waits for from here',
      lookAgainMs: waits.again,
    };
  return {
    ...reported,
    detail: 'its Cluster names no control plane and is told that it has one',
    action: { kind: 'open-gate' },
    lookAgainMs: waits.forCluster,
  };
}

/** Only of a Cluster whose infrastructure this is, and whose control plane nobody else speaks for. */
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
