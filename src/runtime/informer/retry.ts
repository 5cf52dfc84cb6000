/** Waits between attempts: longer each time, never in step with others, and no longer than half a minute. */
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';

const firstMs = 500;
const maxMs = 30_000;

export class Retry {
  readonly #clock: Clock;
  readonly #random: Random;
  #failures = 0;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  count(): void {
    this.#failures += 1;
  }

  reset(): void {
    this.#failures = 0;
  }

  /** Ends the wait that is under way. */
  wake(): void {
    this.#wake?.();
  }

  /** At least until `notBefore`, if the server named a time. */
  async wait(notBefore = 0): Promise<void> {
    const full = Math.min(maxMs, firstMs * 2 ** Math.min(this.#failures, 10));
    this.count();
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
