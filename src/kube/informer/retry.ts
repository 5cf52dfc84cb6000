/** Waits between attempts: with exponential backoff and jitter, up to half a minute. */
import { jitteredBackoffMs, type Backoff } from '../../platform/backoff.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';

const backoff: Backoff = { firstMs: 500, maxMs: 30_000 };

export interface Wait {
  /** The retry time that the server named. */
  readonly notBefore: number | undefined;
  /** No wait after the first failure. */
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

  /** Ends the current wait. */
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
