/** Waits between attempts: with exponential backoff and jitter, up to half a minute. */
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';

const firstMs = 500;
const maxMs = 30_000;

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
    const full = Math.min(maxMs, firstMs * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    if (isFirstFree && this.#failures === 1) return;
    const own = full * (0.5 + this.#random.next() / 2);
    const ms = Math.max(own, Math.min(notBefore - this.#clock.now(), maxMs));
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(ms, resolve);
    this.#wake = resolve;
    await promise;
    cancel();
    this.#wake = undefined;
  }
}
