/** Sets `ControlPlaneInitialized` on a Cluster without a control plane. */
import { clusterAbove, clustersIn, type FoundCluster } from '../state/cluster-objects.ts';
import { timeText } from '../../platform/time-text.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import type { Patch } from '../../kube/client/client.ts';
import { apiVersionOf, type KubeObject } from '../../kube/client/kube-object.ts';
import { gateCondition, isPausedAbove, wantsGateOpened, type Above, type Observed } from './plan.ts';
import type { ClusterPorts } from './ports.ts';

/** Sets the condition if the freshly read Cluster still owns the object and still needs the condition. */
export async function openGate(
  ports: Pick<ClusterPorts, 'client' | 'findCluster' | 'now'>,
  { half }: Observed,
): Promise<ActionResult> {
  const current = await clusterOf(ports, half.object);
  if (typeof current !== 'object' || isPausedAbove(current)) return 'precondition-lost';
  if (!wantsGateOpened(current, half.object)) return 'precondition-lost';
  const { name, namespace = '' } = current.object.metadata;
  const place = { name, namespace, subresource: 'status' };
  await ports.client.patch(clustersIn(current.version), place, gatePatch(current, timeText(ports.now())));
  return 'requested';
}

/** A Cluster of the same name with another uid is another Cluster. */
export async function clusterOf(
  { findCluster }: Pick<ClusterPorts, 'findCluster'>,
  object: KubeObject,
): Promise<Above> {
  const owner = clusterAbove(object);
  if (owner === undefined) return 'unowned';
  const { namespace = '' } = object.metadata;
  const found = await findCluster({ namespace, name: owner.name });
  return found?.object.metadata.uid === owner.uid ? found : 'missing';
}

/**
 * In v1beta2, conditions are a map in which each entry has an owner, so ours is applied. In v1beta1 they are one
 * list, which an apply would replace as a whole: the list is written as read, with ours added, under a precondition.
 */
function gatePatch({ version, object }: FoundCluster, at: string): Patch {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const condition = { type: gateCondition, status: 'True', lastTransitionTime: at };
  if (version === 'v1beta1') {
    const others = (object.status?.conditions ?? []).filter(({ type }) => type !== gateCondition);
    return { merge: { metadata: { resourceVersion }, status: { conditions: [...others, condition] } } };
  }
  const said = { reason: 'ManagedElsewhere', message: 'the control plane is run by something else' };
  const resource = clustersIn(version);
  return {
    apply: {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { name, namespace, uid },
      status: { conditions: [{ ...condition, ...said }] },
    },
    force: true,
  };
}
