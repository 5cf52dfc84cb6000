/** What a controller decided, as data, and what came of it. Building one has no effect on the world. */
import type { FleetError } from '../../platform/errors/fleet-error.ts';

export interface Plan<Action> {
  /** Independent of each other: one that fails must not hold up the rest. */
  readonly actions: readonly Action[];
  /** One for each subject that is not as it should be, also when it is left alone: "why did nothing happen?" */
  readonly notes: readonly Note[];
  /** Set when something falls due before the regular pass. */
  readonly lookAgainAt?: number;
}

export interface Note {
  readonly subject: string;
  /** One word in PascalCase, the same as in conditions, events and metrics. */
  readonly reason: string;
  readonly detail: string;
}

declare const fresh: unique symbol;

/** Proof that a value was read from the server after the decision, not from a cache. */
export type Fresh<T> = T & { readonly [fresh]: true };

/**
 * What an action came to: asked for, and to be seen later; or overtaken, because its premise no longer holds, so that one
 * looks again at once; or unneeded, because it is known by now what it was to tell, so that the next look is soon enough.
 */
export type ActionResult = 'asked' | 'overtaken' | 'unneeded';

export interface Report<Action> {
  readonly plan: Plan<Action>;
  readonly results: readonly Result<Action>[];
}

export interface Result<Action> {
  readonly action: Action;
  /** `withheld`: not tried, because we may not act now or at all. */
  readonly outcome: ActionResult | 'withheld' | FleetError;
}
