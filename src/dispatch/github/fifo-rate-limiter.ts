/**
 * Those who wait until they may do something: so many at once, then so many a second, in the order they came. One can ask
 * beforehand when it would be one's turn, and whoever leaves the line makes room for those behind.
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

  /** When whoever comes now would have its turn. */
  nextSlotAt(): number {
    return this.#allowance.count() + this.#msUntil(this.#waiting.size + 1);
  }

  /** Resolves at the turn of the caller with true, or with false as soon as it has left. */
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

  /** In whole milliseconds: less than one would be none for a timer. */
  #msUntil(count: number): number {
    return Math.ceil(this.#allowance.msUntil(count));
  }
}
