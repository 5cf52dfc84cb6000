/**
 * Reports readiness for the two cluster objects of ours, and sets `ControlPlaneInitialized` on a Cluster without a
 * control plane.
 */
import { controlPlanes, infraClusters } from '../state/cluster-objects.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import type { Resource } from '../../kube/client/kube-object.ts';
import { clusterOf, openGate } from './actions.ts';
import { decide, plan, type Action, type Half, type Observed } from './plan.ts';
import type { ClusterPorts } from './ports.ts';
import { eventsFor, statusPatch } from './status.ts';

const controlPlaneMark = `${controlPlanes.plural}/`;

/** The queue key of an infrastructure or control plane object. */
export function clusterKey(kind: Half['kind'], key: string): string {
  return kind === 'control-plane' ? `${controlPlaneMark}${key}` : key;
}

export class ClusterController implements Controller<Observed, Action> {
  readonly name = 'cluster';
  readonly plan = plan;
  readonly events = eventsFor;
  readonly #ports: ClusterPorts;

  constructor(ports: ClusterPorts) {
    this.#ports = ports;
  }

  async observe(key: string): Promise<Observed | undefined> {
    const half = this.#halfUnder(key);
    if (half === undefined) return undefined;
    return { now: this.#ports.now(), half, above: await clusterOf(this.#ports, half.object) };
  }

  act(_action: Action, observed: Observed): Promise<ActionResult> {
    return openGate(this.#ports, observed);
  }

  async status(observed: Observed): Promise<void> {
    if (!decide(observed).mayReport) return;
    const status = statusPatch(observed);
    if (status === undefined) return;
    const { half } = observed;
    const { name, namespace = '', resourceVersion } = half.object.metadata;
    const place = { name, namespace, subresource: 'status' };
    const resource: Resource = half.kind === 'infrastructure' ? infraClusters : controlPlanes;
    await this.#ports.client.patch(resource, place, { merge: { metadata: { resourceVersion }, status } });
  }

  #halfUnder(key: string): Half | undefined {
    const { infrastructure, controlPlane } = this.#ports;
    if (key.startsWith(controlPlaneMark)) {
      const object = controlPlane(key.slice(controlPlaneMark.length));
      return object && { kind: 'control-plane', object };
    }
    const object = infrastructure(key);
    return object && { kind: 'infrastructure', object };
  }
}
