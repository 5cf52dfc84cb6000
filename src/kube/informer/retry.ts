/** Waits between attempts: longer each time, never in step with others, and no longer than half a minute. */
import { jitteredBackoffMs, type Backoff } from '../../platform/backoff.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';

const backoff: Backoff = { firstMs: 500, maxMs: 30_000 };

export interface Wait {
  /** A time that the server named. */
  readonly notBefore: number | undefined;
  /** After a first failure of this kind there is nothing to wait for. */
  readonly isFirstFree: boolean;
}

export class Retry {
  readonly #clock: Clock;
  readonly #random: Random;
  #failures = 0;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  reset(): void {
    this.#failures = 0;
  }

  /** Ends the wait that is under way. */
  wake(): void {
    this.#wake?.();
  }

  async wait({ notBefore = 0, isFirstFree }: Wait): Promise<void> {
    this.#failures += 1;
    if (isFirstFree && this.#failures === 1) return;
    const own = jitteredBackoffMs(backoff, this.#failures, this.#random);
    const ms = Math.max(own, Math.min(notBefore - this.#clock.now(), backoff.maxMs));
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(ms, resolve);
    this.#wake = resolve;
    await promise;
    cancel();
    this.#wake = undefined;
  }
}
