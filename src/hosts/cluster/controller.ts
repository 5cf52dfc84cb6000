/**
 * Reports readiness for the two cluster objects of ours, and sets `ControlPlaneInitialized` on a Cluster without a
 * control plane.
 */
import {
  clusterAbove,
  clustersIn,
  controlPlanes,
  infraClusters,
  type ControlPlaneObject,
  type FoundCluster,
  type InfraClusterObject,
} from '../state/cluster-objects.ts';
import { timeText } from '../../platform/time-text.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import type { KubeClient, Patch } from '../../kube/client/client.ts';
import {
  apiVersionOf,
  keyOf,
  type KubeObject,
  type Place,
  type Resource,
} from '../../kube/client/kube-object.ts';
import {
  decide,
  gateCondition,
  isPausedAbove,
  plan,
  wantsGateOpened,
  type Above,
  type Action,
  type Half,
  type Observed,
} from './plan.ts';
import { statusPatch } from './status.ts';

export interface ClusterPorts {
  readonly client: KubeClient;
  readonly now: () => number;
  readonly infrastructure: (key: string) => InfraClusterObject | undefined;
  readonly controlPlane: (key: string) => ControlPlaneObject | undefined;
  /** The stored Cluster; undefined if it is missing or Cluster API is not installed. */
  readonly findCluster: (place: Place) => Promise<FoundCluster | undefined>;
}

const controlPlaneMark = `${controlPlanes.plural}/`;

/** The queue key of an infrastructure or control plane object. */
export function clusterKey(kind: Half['kind'], key: string): string {
  return kind === 'control-plane' ? `${controlPlaneMark}${key}` : key;
}

export class ClusterController implements Controller<Observed, Action> {
  readonly name = 'cluster';
  readonly plan = plan;
  readonly #ports: ClusterPorts;

  constructor(ports: ClusterPorts) {
    this.#ports = ports;
  }

  async observe(key: string): Promise<Observed | undefined> {
    const half = this.#halfUnder(key);
    if (half === undefined) return undefined;
    return { now: this.#ports.now(), half, above: await this.#above(half.object) };
  }

  /** Sets the condition if the freshly read Cluster still owns the object and still needs the condition. */
  async act(_action: Action, { half }: Observed): Promise<ActionResult> {
    const current = await this.#above(half.object);
    if (typeof current !== 'object' || isPausedAbove(current)) return 'overtaken';
    if (!wantsGateOpened(current, half.object)) return 'overtaken';
    const { name, namespace = '' } = current.object.metadata;
    const place = { name, namespace, subresource: 'status' };
    await this.#ports.client.patch(
      clustersIn(current.version),
      place,
      gatePatch(current, timeText(this.#ports.now())),
    );
    return 'asked';
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

  events({ half, above }: Observed, report: Report<Action>): readonly EventDraft[] {
    if (half.kind === 'control-plane' || typeof above !== 'object') return [];
    const subject = subjectOf(infraClusters, half.object);
    const opened: EventDraft = {
      subject,
      type: 'Normal',
      reason: gateCondition,
      message: `Cluster ${keyOf(above.object)} names no control plane, so its ControlPlaneInitialized condition was set`,
    };
    const isAsked = report.results.some(({ outcome }) => outcome === 'asked');
    return [...(isAsked ? [opened] : []), ...failuresIn(subject, report)];
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

  /** A Cluster of the same name with another uid is another Cluster. */
  async #above(object: KubeObject): Promise<Above> {
    const owner = clusterAbove(object);
    if (owner === undefined) return 'unowned';
    const { namespace = '' } = object.metadata;
    const found = await this.#ports.findCluster({ namespace, name: owner.name });
    return found?.object.metadata.uid === owner.uid ? found : 'missing';
  }
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
