/** Pending timers of GitHub, until they are all canceled. */
import type { Clock } from '../../../src/platform/clock.ts';

export class Agenda {
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();
  #isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, then: () => void): void {
    if (this.#isOver) return;
    const cancel = this.#clock.after(ms, () => {
      this.#cancels.delete(cancel);
      then();
    });
    this.#cancels.add(cancel);
  }

  end(): void {
    this.#isOver = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
