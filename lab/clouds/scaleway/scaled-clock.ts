/** Time that passes faster, or slower, than that of the clock it is made from, and can be moved on by hand. */
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

  /** Timers that were set are not moved. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
  }
}
