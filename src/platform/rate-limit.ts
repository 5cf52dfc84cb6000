/** A token bucket: a burst of requests, then a rate per second, in order of arrival. */
import type { Clock } from './clock.ts';
import { sleep } from './sleep.ts';

export interface RateLimitOptions {
  readonly perSecond: number;
  readonly burst: number;
}

/** The number of requests allowed now. */
export class Allowance {
  readonly #clock: Clock;
  readonly #options: RateLimitOptions;
  /** Tokens as of `#countedAt`; negative while requests wait. */
  #left: number;
  #countedAt: number;

  constructor(clock: Clock, options: RateLimitOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#left = options.burst;
    this.#countedAt = clock.now();
  }

  /** Adds the tokens since the last count, and returns the time of the count. */
  count(): number {
    const now = this.#clock.now();
    const { perSecond, burst } = this.#options;
    // A clock that was set back must not stop requests until the clock has caught up.
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

  /** From the last count; 0 if the requests may go now. */
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

  /** Resolves when the request may go. */
  async round(): Promise<void> {
    this.#allowance.count();
    this.#allowance.take();
    if (this.#allowance.left >= 0) return;
    const waitMs = this.#allowance.msUntil(0);
    await sleep(this.#clock, waitMs);
  }
}
