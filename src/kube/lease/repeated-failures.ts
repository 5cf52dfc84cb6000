/** Lets a failure through when it differs from the last one, and once a minute while the same failure repeats. */
import type { FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';

const repeatAfterMs = 60_000;

export class RepeatedFailures {
  readonly #clock: Pick<Clock, 'now'>;
  #last: { readonly message: string; readonly at: number } | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  isDue({ message }: Pick<FleetError, 'message'>): boolean {
    const now = this.#clock.now();
    const last = this.#last;
    // The distance counts in both directions: a clock that is set back must not silence the failure.
    const isRecent = last?.message === message && Math.abs(now - last.at) < repeatAfterMs;
    if (!isRecent) this.#last = { message, at: now };
    return !isRecent;
  }
}
