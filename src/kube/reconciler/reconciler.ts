/**
 * Runs a controller: observe, plan, act, status, one key at a time. The kind of a failure decides here what follows;
 * a controller neither catches nor retries.
 *
 * Guarantees: no action without a check of `mayAct` just before; no action at all in report-only mode; a failed
 * action delays neither other actions nor the status.
 */
import { dispose } from '../../platform/errors/dispose.ts';
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import { noMetrics, type Metrics } from '../../platform/metrics.ts';
import type { Outcome } from '../work-queue.ts';
import { ControllerMetrics } from './reconciler-metrics.ts';
import type { EventDraft } from './event-draft.ts';
import type { DecisionLog } from './decision-log.ts';
import type { ActionResult, Note, Plan, Report, Result } from './plan.ts';

export interface Controller<Observed, Action> {
  /** The name of its folder, and its name in logs, metrics and notes. */
  readonly name: string;
  /** The input of the decision; undefined when the object is gone. */
  observe(key: string): Promise<Observed | undefined>;
  /** Total, synchronous, and without side effects. */
  plan(observed: Observed): Plan<Action>;
  /** Proves its premise again before any effect; safe to repeat. */
  act(action: Action, observed: Observed): Promise<ActionResult>;
  /** Writes the status if it changed. */
  status(observed: Observed, report: Report<Action>): Promise<void>;
  /** The Events of this reconcile; without side effects, and called after the status was written. */
  events?(observed: Observed, report: Report<Action>): readonly EventDraft[];
}

export interface HarnessPorts {
  /** False for a report-only controller: same notes, same status, no actions. */
  readonly mayMutate: boolean;
  /** Checked just before each action. */
  readonly mayAct: () => boolean;
  readonly decisions: DecisionLog;
  readonly now: () => number;
  /** Records Events; without this port none are recorded. */
  readonly record?: (event: EventDraft) => void;
  /** Called once for each failure. */
  readonly onFailure: (failure: Failure) => void;
  readonly metrics?: Metrics;
}

export interface Failure {
  readonly controller: string;
  readonly key: string;
  readonly during: 'observe' | 'act' | 'status';
  readonly error: FleetError;
}

/** Returns the reconcile function for a queue. An unexpected error is a bug and ends the process. */
export function visitWith<Observed, Action>(
  controller: Controller<Observed, Action>,
  ports: HarnessPorts,
): (key: string) => Promise<Outcome> {
  const metrics = new ControllerMetrics(ports.metrics ?? noMetrics, controller.name);
  return (key) => new Visit({ controller, ports, metrics }, key).run();
}

interface Harness<Observed, Action> {
  readonly controller: Controller<Observed, Action>;
  readonly ports: HarnessPorts;
  readonly metrics: ControllerMetrics;
}

class Visit<Observed, Action> {
  readonly #controller: Controller<Observed, Action>;
  readonly #ports: HarnessPorts;
  readonly #metrics: ControllerMetrics;
  readonly #key: string;
  readonly #requeues: Outcome[] = [];
  readonly #failures: Note[] = [];

  constructor({ controller, ports, metrics }: Harness<Observed, Action>, key: string) {
    this.#controller = controller;
    this.#ports = ports;
    this.#metrics = metrics;
    this.#key = key;
  }

  async run(): Promise<Outcome> {
    const observed = await this.#guarded('observe', () => this.#controller.observe(this.#key));
    if (observed.failed) {
      this.#write([]);
      return this.#soonest();
    }
    if (observed.value === undefined) {
      this.#ports.decisions.write(this.#controller.name, this.#key, []);
      return 'done';
    }
    return this.#decide(observed.value);
  }

  async #decide(observed: Observed): Promise<Outcome> {
    const plan = this.#controller.plan(observed);
    this.#metrics.plans.add();
    this.#write(plan.notes);
    const results: Result<Action>[] = [];
    for (const action of plan.actions) {
      const outcome = await this.#carryOut(action, observed);
      this.#metrics.acted(action, typeof outcome === 'string' ? outcome : 'failed');
      results.push({ action, outcome });
    }
    await this.#guarded('status', () => this.#controller.status(observed, { plan, results }));
    if (this.#failures.length > 0) this.#write(plan.notes);
    this.#report(observed, { plan, results });
    if (plan.requeueAt !== undefined) this.#requeues.push({ at: plan.requeueAt });
    return this.#soonest();
  }

  async #carryOut(action: Action, observed: Observed): Promise<Result<Action>['outcome']> {
    const { mayMutate, mayAct } = this.#ports;
    if (!mayMutate) return 'skipped';
    if (!mayAct()) {
      // The leader will see the change; if this replica leads by then, in its next reconcile.
      this.#requeues.push('backoff');
      return 'skipped';
    }
    const done = await this.#guarded('act', () => this.#controller.act(action, observed));
    if (done.failed) return done.error;
    if (done.value === 'precondition-lost') this.#requeues.push('now');
    return done.value;
  }

  /** Only the leader records Events; otherwise each replica would record the same. */
  #report(observed: Observed, report: Report<Action>): void {
    const { record, mayAct } = this.#ports;
    if (record === undefined || !mayAct()) return;
    for (const event of this.#controller.events?.(observed, report) ?? []) record(event);
  }

  async #guarded<T>(during: Failure['during'], run: () => Promise<T>): Promise<Guarded<T>> {
    try {
      return { failed: false, value: await run() };
    } catch (error) {
      if (!isFleetError(error)) throw error;
      this.#metrics.failed(during, error.kind);
      this.#ports.onFailure({ controller: this.#controller.name, key: this.#key, during, error });
      this.#requeues.push(requeueAfter(error, this.#ports.now()));
      this.#failures.push({ subject: this.#key, reason: error.reason, detail: error.message });
      return { failed: true, error };
    }
  }

  /** Failures are noted beside the decision, because either may explain why nothing happened. */
  #write(notes: readonly Note[]): void {
    this.#ports.decisions.write(this.#controller.name, this.#key, [...notes, ...this.#failures]);
  }

  /** The earliest requested time wins. */
  #soonest(): Outcome {
    if (this.#requeues.includes('now')) return 'now';
    if (this.#requeues.includes('backoff')) return 'backoff';
    const times = this.#requeues.flatMap((requeue) => (typeof requeue === 'object' ? [requeue.at] : []));
    return times.length === 0 ? 'done' : { at: Math.min(...times) };
  }
}

type Guarded<T> =
  | { readonly failed: false; readonly value: T }
  | { readonly failed: true; readonly error: FleetError };

const slowRetryMs = 10 * 60_000;

/** A refusal without a retry time is retried like a missing answer. */
function requeueAfter(error: FleetError, now: number): Outcome {
  switch (dispose(error.kind).requeue) {
    case 'now':
      return 'now';
    case 'backoff':
      return error.retryAt === undefined ? 'backoff' : { at: Math.max(error.retryAt, now) };
    case 'at-retry-time':
      return error.retryAt === undefined ? 'backoff' : { at: error.retryAt };
    case 'slow-retry':
      return { at: now + slowRetryMs };
  }
}
