/**
 * A FIFO token bucket: a burst, then a steady rate. Callers can query the time of the next slot, and a caller that
 * aborts frees its place in the queue.
 */
import type { Clock } from '../../platform/clock.ts';
import { Allowance, type RateLimitOptions } from '../../platform/rate-limit.ts';

export class FifoRateLimiter {
  readonly #clock: Clock;
  readonly #allowance: Allowance;
  /** Longest first. */
  readonly #waiting = new Set<() => void>();
  #isTimed = false;

  constructor(clock: Clock, options: RateLimitOptions) {
    this.#clock = clock;
    this.#allowance = new Allowance(clock, options);
  }

  /** When a new caller would get its slot. */
  nextSlotAt(): number {
    return this.#allowance.count() + this.#msUntil(this.#waiting.size + 1);
  }

  /** Resolves with true when the caller has its slot, or with false as soon as the caller aborts. */
  async slot(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted === true) return false;
    return new Promise((resolve) => {
      const go = (): void => {
        signal?.removeEventListener('abort', remove);
        resolve(true);
      };
      const remove = (): void => {
        this.#waiting.delete(go);
        resolve(false);
      };
      signal?.addEventListener('abort', remove, { once: true });
      this.#waiting.add(go);
      this.#serve();
    });
  }

  #serve(): void {
    this.#allowance.count();
    for (const go of this.#waiting) {
      if (this.#allowance.left < 1) break;
      this.#allowance.take();
      this.#waiting.delete(go);
      go();
    }
    if (this.#waiting.size === 0 || this.#isTimed) return;
    this.#isTimed = true;
    this.#clock.after(this.#msUntil(1), () => {
      this.#isTimed = false;
      this.#serve();
    });
  }

  /** Rounded up: a timer cannot wait for less than a millisecond. */
  #msUntil(count: number): number {
    return Math.ceil(this.#allowance.msUntil(count));
  }
}
