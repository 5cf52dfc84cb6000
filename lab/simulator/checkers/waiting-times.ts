/** Records since when each item has waited, check after check. An item that no longer waits is dropped. */
import type { Clock } from '../../../src/platform/clock.ts';

export class WaitingTimes {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #since = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns the first item that has waited longer than the limit. */
  late(waiting: readonly string[], withinMs: number): string | undefined {
    const now = this.#clock.now();
    const names = new Set(waiting);
    for (const name of this.#since.keys()) if (!names.has(name)) this.#since.delete(name);
    for (const name of names) if (!this.#since.has(name)) this.#since.set(name, now);
    return waiting.find((name) => now - (this.#since.get(name) ?? now) > withinMs);
  }
}
