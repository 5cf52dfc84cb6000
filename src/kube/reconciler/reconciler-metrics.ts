/** Metrics of a controller: plans, actions by outcome, and failures. */
import type { FailureKind } from '../../platform/errors/fleet-error.ts';
import { controllerMetrics as catalogue } from '../metric-definitions.ts';
import { CountersBy, type Counter, type Metrics } from '../../platform/metrics.ts';
import type { ActionResult } from './plan.ts';

type ActionOutcome = ActionResult | 'skipped' | 'failed';

export class ControllerMetrics {
  readonly plans: Counter;
  readonly #actions: Readonly<Record<ActionOutcome, CountersBy>>;
  readonly #failures: Readonly<Record<'observe' | 'act' | 'status', CountersBy>>;

  constructor(metrics: Metrics, controller: string) {
    const actionsThatWere = (outcome: ActionOutcome): CountersBy =>
      new CountersBy((action) => metrics.counter(catalogue.actions, { controller, action, outcome }));
    const failuresTo = (during: string): CountersBy =>
      new CountersBy((kind) => metrics.counter(catalogue.failures, { controller, during, kind }));
    this.plans = metrics.counter(catalogue.plans, { controller });
    this.#actions = {
      requested: actionsThatWere('requested'),
      'precondition-lost': actionsThatWere('precondition-lost'),
      'no-op': actionsThatWere('no-op'),
      skipped: actionsThatWere('skipped'),
      failed: actionsThatWere('failed'),
    };
    this.#failures = {
      observe: failuresTo('observe'),
      act: failuresTo('act'),
      status: failuresTo('status'),
    };
  }

  acted(action: unknown, outcome: ActionOutcome): void {
    this.#actions[outcome].add(kindOf(action));
  }

  failed(during: 'observe' | 'act' | 'status', kind: FailureKind): void {
    this.#failures[during].add(kind);
  }
}

/** Actions are data with a `kind`; an action without one is still counted. */
function kindOf(action: unknown): string {
  const isKinded = typeof action === 'object' && action !== null && 'kind' in action;
  return isKinded && typeof action.kind === 'string' ? action.kind : 'unnamed';
}
