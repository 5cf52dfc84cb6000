/**
 * Those who wait until they may do something: so many at once, then so many a second, in the order they came. One can ask
 * beforehand when it would be one's turn, and whoever leaves the line makes room for those behind.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { RateLimitOptions } from '../../runtime/rate-limit.ts';

export class TurnLine {
  readonly #clock: Clock;
  readonly #options: RateLimitOptions;
  /** Longest first. */
  readonly #waiting = new Set<() => void>();
  /** How many may go at `#countedAt`. */
  #allowance: number;
  #countedAt: number;
  #isTimed = false;

  constructor(clock: Clock, options: RateLimitOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#allowance = options.burst;
    this.#countedAt = clock.now();
  }

  /** When whoever comes now would have its turn. */
  nextTurnAt(): number {
    return this.#countedNow() + this.#msUntil(this.#waiting.size + 1);
  }

  /** Resolves at the turn of the caller with true, or with false as soon as it has left. */
  async turn(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted === true) return false;
    return new Promise((resolve) => {
      const go = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.delete(go);
        resolve(false);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(go);
      this.#serve();
    });
  }

  #serve(): void {
    this.#countedNow();
    for (const go of this.#waiting) {
      if (this.#allowance < 1) break;
      this.#allowance -= 1;
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

  #countedNow(): number {
    const now = this.#clock.now();
    const { perSecond, burst } = this.#options;
    // A clock that was set back must not stop everything until it has caught up.
    const passed = Math.max(0, now - this.#countedAt);
    this.#allowance = Math.min(burst, this.#allowance + (passed * perSecond) / 1000);
    this.#countedAt = now;
    return now;
  }

  /** Until so many may go, in whole milliseconds: less than one would be none for a timer. */
  #msUntil(count: number): number {
    return Math.max(0, Math.ceil(((count - this.#allowance) * 1000) / this.#options.perSecond));
  }
}
