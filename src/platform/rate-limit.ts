/** Keeps a client from asking too often: so many requests at once, then so many a second, in the order they came. */
import type { Clock } from './clock.ts';
import { sleep } from './sleep.ts';

export interface RateLimitOptions {
  readonly perSecond: number;
  readonly burst: number;
}

/** How many may go at this moment. */
export class Allowance {
  readonly #clock: Clock;
  readonly #options: RateLimitOptions;
  /** As of `#countedAt`; below zero, those that wait have spoken for that many. */
  #left: number;
  #countedAt: number;

  constructor(clock: Clock, options: RateLimitOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#left = options.burst;
    this.#countedAt = clock.now();
  }

  /** Counts what was earned since, and tells as of when. */
  count(): number {
    const now = this.#clock.now();
    const { perSecond, burst } = this.#options;
    // A clock that was set back must not stop everything until it has caught up.
    const passed = Math.max(0, now - this.#countedAt);
    this.#left = Math.min(burst, this.#left + (passed * perSecond) / 1000);
    this.#countedAt = now;
    return now;
  }

  get left(): number {
    return this.#left;
  }

  take(): void {
    this.#left -= 1;
  }

  /** From when it was last counted; 0 where they may go already. */
  msUntil(count: number): number {
    return Math.max(0, ((count - this.#left) * 1000) / this.#options.perSecond);
  }
}

export class RateLimit {
  readonly #clock: Clock;
  readonly #allowance: Allowance;

  constructor(clock: Clock, options: RateLimitOptions) {
    this.#clock = clock;
    this.#allowance = new Allowance(clock, options);
  }

  /** Resolves when the caller may go. */
  async round(): Promise<void> {
    this.#allowance.count();
    this.#allowance.take();
    if (this.#allowance.left >= 0) return;
    const waitMs = this.#allowance.msUntil(0);
    await sleep(this.#clock, waitMs);
  }
}
