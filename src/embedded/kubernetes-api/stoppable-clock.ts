/** A clock that can be stopped: after `stop` no timer runs, and none can be set. */
import type { Clock } from '../../platform/clock.ts';

export class StoppableClock implements Clock {
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, then: () => void): () => void {
    if (this.#isStopped) return () => undefined;
    const cancelReal = this.#clock.after(ms, () => {
      this.#cancels.delete(cancel);
      then();
    });
    const cancel = (): void => {
      this.#cancels.delete(cancel);
      cancelReal();
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#cancels) cancel();
  }
}
