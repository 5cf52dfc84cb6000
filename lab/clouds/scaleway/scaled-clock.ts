/** A clock that runs faster or slower than its source, and can be advanced by hand. */
import type { Clock } from '../../../src/platform/clock.ts';

export class ScaledClock implements Clock {
  readonly #clock: Clock;
  readonly #scale: number;
  readonly #startedAt: number;
  #jumpedMs = 0;

  constructor(clock: Clock, scale: number) {
    this.#clock = clock;
    this.#scale = scale;
    this.#startedAt = clock.now();
  }

  now(): number {
    const passed = this.#clock.now() - this.#startedAt;
    return Math.floor(this.#startedAt + passed * this.#scale + this.#jumpedMs);
  }

  after(ms: number, then: () => void): () => void {
    return this.#clock.after(ms / this.#scale, then);
  }

  /** Does not move timers that are already set. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
  }
}
