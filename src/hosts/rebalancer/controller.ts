/** Rolls one Deployment when the set of ready Macs has changed, but never during another roll. */
import { createHash } from 'node:crypto';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { deployments } from '../../kube/client/builtin-resources.ts';
import { roll } from './actions.ts';
import { plan, type Action, type Observed } from './plan.ts';
import type { FleetSpreadPorts } from './ports.ts';
import { eventsFor } from './status.ts';

const markLength = 16;

export class FleetSpread implements Controller<Observed, Action> {
  readonly name = 'fleet-spread';
  readonly plan = plan;
  readonly events = eventsFor;
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

  act(action: Action, observed: Observed): Promise<ActionResult> {
    return roll(this.#ports, action, { observed, observe: () => this.observe() });
  }

  status(): Promise<void> {
    return Promise.resolve();
  }
}

/** The hash that existing fleets use, so that a change of version alone rolls nothing. */
export function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, markLength);
}
