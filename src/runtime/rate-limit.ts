/** Keeps a client from asking too often: so many requests at once, then so many a second, in the order they came. */
import type { Clock } from './clock.ts';

export interface RateLimitOptions {
  readonly perSecond: number;
  readonly burst: number;
}

export class RateLimit {
  readonly #clock: Clock;
  readonly #options: RateLimitOptions;
  /** Requests that may go at `#countedAt`; below zero, those that wait have spoken for that many. */
  #allowance: number;
  #countedAt: number;

  constructor(clock: Clock, options: RateLimitOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#allowance = options.burst;
    this.#countedAt = clock.now();
  }

  /** Resolves when the caller may go. */
  async turn(): Promise<void> {
    const now = this.#clock.now();
    const { perSecond, burst } = this.#options;
    // A clock that was set back must not stop everything until it has caught up.
    const passed = Math.max(0, now - this.#countedAt);
    this.#allowance = Math.min(burst, this.#allowance + (passed * perSecond) / 1000);
    this.#countedAt = now;
    this.#allowance -= 1;
    if (this.#allowance >= 0) return;
    const waitMs = (-this.#allowance * 1000) / perSecond;
    await new Promise<void>((resolve) => void this.#clock.after(waitMs, resolve));
  }
}
