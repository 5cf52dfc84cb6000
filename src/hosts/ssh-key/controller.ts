/**
 * Keeps one SSH key pair per fleet in a Secret, and its registration at the provider. The Secret is stored before the
 * key is registered: a registered key that is not stored would be useless.
 */
import type { MachineObject } from '../state/objects.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import type { EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import { SshKeyActions } from './actions.ts';
import { plan, type Action, type Observed } from './plan.ts';
import type { FleetKeyPorts } from './ports.ts';
import { eventsFor } from './status.ts';

/** A machine without a fleet name is its own fleet. */
export function fleetOf({ metadata, spec }: MachineObject): string {
  const { namespace = '', name } = metadata;
  return spec?.fleetName === undefined || spec.fleetName === '' ? `${namespace}-${name}` : spec.fleetName;
}

export class FleetKey implements Controller<Observed, Action> {
  readonly name = 'fleet-key';
  readonly plan = plan;
  readonly #ports: FleetKeyPorts;
  readonly #actions: SshKeyActions;

  constructor(ports: FleetKeyPorts) {
    this.#ports = ports;
    this.#actions = new SshKeyActions(ports);
  }

  /** The key of a fleet without machines is kept, because machines may come back. */
  async observe(fleet: string): Promise<Observed | undefined> {
    const { sshKeys, machinesOf, now } = this.#ports;
    if (machinesOf(fleet).length === 0) return undefined;
    const stored = await this.#actions.stored(fleet);
    const registered = await sshKeys.list();
    return { now: now(), fleet, stored, registered };
  }

  act(action: Action, observed: Observed): Promise<ActionResult> {
    return this.#actions.take(action, observed);
  }

  status(): Promise<void> {
    return Promise.resolve();
  }

  events(observed: Observed, report: Report<Action>): readonly EventDraft[] {
    return eventsFor(this.#ports.machinesOf(observed.fleet)[0], observed, report);
  }
}
