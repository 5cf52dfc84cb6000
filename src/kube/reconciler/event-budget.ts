/** A budget of Event writes for each subject: a burst, then one every few minutes. */
import type { Clock } from '../../platform/clock.ts';

export interface BudgetOptions {
  readonly burst: number;
  readonly refillMs: number;
  /** Beyond this many subjects, the subject with the oldest write is dropped and starts anew. */
  readonly subjectsMax: number;
}

interface Left {
  readonly writes: number;
  readonly at: number;
}

export class EventBudget {
  readonly #clock: Clock;
  readonly #options: BudgetOptions;
  readonly #left = new Map<string, Left>();

  constructor(clock: Clock, options: BudgetOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Spends one write; false if none is left. */
  take(subject: string): boolean {
    const { burst, refillMs, subjectsMax } = this.#options;
    const now = this.#clock.now();
    const { writes, at } = this.#left.get(subject) ?? { writes: burst, at: now };
    // A clock that was set back must not silence a subject until the clock has caught up.
    const refilled = Math.min(burst, writes + Math.max(0, now - at) / refillMs);
    const isLeft = refilled >= 1;
    this.#left.delete(subject);
    this.#left.set(subject, { writes: isLeft ? refilled - 1 : refilled, at: now });
    const [oldest] = this.#left.keys();
    if (this.#left.size > subjectsMax && oldest !== undefined) this.#left.delete(oldest);
    return isLeft;
  }
}
