/** The decision of a controller as data, and its results. Building a plan has no side effects. */
import type { FleetError } from '../../platform/errors/fleet-error.ts';

export interface Plan<Action> {
  /** Independent of each other: a failed action must not delay the others. */
  readonly actions: readonly Action[];
  /** One note for each subject that is not in its desired state, also when no action follows. */
  readonly notes: readonly Note[];
  /** Set when something is due before the regular pass. */
  readonly requeueAt?: number;
}

export interface Note {
  readonly subject: string;
  /** One word in PascalCase, the same as in conditions, Events and metrics. */
  readonly reason: string;
  readonly detail: string;
}

declare const fresh: unique symbol;

/** Proof that a value was read from the server after the decision, not from a cache. */
export type Fresh<T> = T & { readonly [fresh]: true };

/**
 * The result of an action. `requested`: requested, and to be observed later. `precondition-lost`: the premise no longer holds, so
 * the object is reconciled again at once. `no-op`: nothing was left to do, so the next regular reconcile is soon
 * enough.
 */
export type ActionResult = 'requested' | 'precondition-lost' | 'no-op';

export interface Report<Action> {
  readonly plan: Plan<Action>;
  readonly results: readonly Result<Action>[];
}

export interface Result<Action> {
  readonly action: Action;
  /** `skipped`: not tried, because the replica may not act now or at all. */
  readonly outcome: ActionResult | 'skipped' | FleetError;
}
