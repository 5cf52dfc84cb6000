/**
 * Finds hosts with several machines and machines with several hosts, after each inventory. Decides from caches;
 * `actions.ts` proves each repair from stored objects.
 */
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import type { EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import { DuplicateRepairs } from './actions.ts';
import { findDuplicates, identityOf, isConfirmed, plan, type Action, type Observed } from './plan.ts';
import type { DuplicatesPorts } from './ports.ts';
import { eventsFor } from './status.ts';

export class Duplicates implements Controller<Observed, Action> {
  readonly name = 'duplicates';
  readonly plan = plan;
  readonly #ports: DuplicatesPorts;
  readonly #repairs: DuplicateRepairs;
  /** The time since when every pass has shown each duplicate. Lost in a restart, which only delays repairs. */
  #since: ReadonlyMap<string, number> = new Map();
  /** Duplicates for which an Event was sent. */
  #reported: ReadonlySet<string> = new Set();

  constructor(ports: DuplicatesPorts) {
    this.#ports = ports;
    this.#repairs = new DuplicateRepairs(ports);
  }

  observe(): Promise<Observed> {
    const { hosts, machines: known, now, repairsMax, counted } = this.#ports;
    const base = { now: now(), hosts: hosts(), machines: known(), repairsMax };
    const duplicates = findDuplicates(base);
    const identities = duplicates.map(identityOf);
    this.#since = new Map(identities.map((one) => [one, this.#since.get(one) ?? base.now]));
    const observed = { ...base, duplicates, since: this.#since };
    counted(duplicates.filter((one) => isConfirmed(one, observed)));
    return Promise.resolve(observed);
  }

  act(action: Action): Promise<ActionResult> {
    return this.#repairs.make(action);
  }

  status(): Promise<void> {
    return Promise.resolve();
  }

  events(observed: Observed, report: Report<Action>): readonly EventDraft[] {
    const confirmed = observed.duplicates.filter((one) => isConfirmed(one, observed));
    const fresh = confirmed.filter((one) => !this.#reported.has(identityOf(one)));
    this.#reported = new Set(confirmed.map(identityOf));
    return eventsFor(fresh, observed, report);
  }
}
