/** Rolls one Deployment when the set of ready Macs has changed, but never during another roll. */
import { createHash } from 'node:crypto';
import { annotations } from '../../api/names/annotations.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import { deployments, type Node } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { decide, plan, type Action, type Observed } from './plan.ts';

export interface FleetSpreadPorts {
  readonly client: KubeClient;
  /** All Macs; undefined until all of them are known. */
  readonly nodes: () => readonly Node[] | undefined;
  readonly now: () => number;
  readonly namespace: string;
  readonly deployment: string;
}

const markLength = 16;

export class FleetSpread implements Controller<Observed, Action> {
  readonly name = 'fleet-spread';
  readonly plan = plan;
  readonly #ports: FleetSpreadPorts;

  constructor(ports: FleetSpreadPorts) {
    this.#ports = ports;
  }

  /** Every key means the same Deployment. */
  async observe(): Promise<Observed> {
    const { client, nodes, now, namespace, deployment: name } = this.#ports;
    const { object: deployment } = await freshRead(client, deployments, { namespace, name });
    return { now: now(), key: `${namespace}/${name}`, deployment, nodes: nodes(), markOf };
  }

  /** Decided again from the stored objects: a roll that began meanwhile is not disturbed. */
  async act({ mark }: Action, { deployment }: Observed): Promise<ActionResult> {
    const { client, namespace, deployment: name } = this.#ports;
    const current = await this.observe();
    if (current.deployment?.metadata.uid !== deployment?.metadata.uid) return 'overtaken';
    if (decide(current).action?.mark !== mark) return 'overtaken';
    const resourceVersion = current.deployment?.metadata.resourceVersion;
    const template = { metadata: { annotations: { [annotations.fleetHash.key]: mark } } };
    const merge = { metadata: { resourceVersion }, spec: { template } };
    await client.patch(deployments, { namespace, name }, { merge });
    return 'asked';
  }

  status(): Promise<void> {
    return Promise.resolve();
  }

  events(observed: Observed, report: Report<Action>): readonly EventDraft[] {
    const { deployment } = observed;
    if (deployment === undefined) return [];
    const subject = subjectOf(deployments, deployment);
    const { reason, detail } = decide(observed);
    const isAsked = report.results.some(({ outcome }) => outcome === 'asked');
    const rolled: EventDraft = { subject, type: 'Normal', reason, message: detail };
    return [...(isAsked ? [rolled] : []), ...failuresIn(subject, report)];
  }
}

/** The hash that existing fleets use, so that a change of version alone rolls nothing. */
export function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, markLength);
}
