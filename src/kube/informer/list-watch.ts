/** One attempt of an informer to follow the server, and whether it justifies another attempt without a wait. */
import type { Clock } from '../../platform/clock.ts';

/** A watch that lives this long is no loop, whatever ends it. */
const steadyMs = 5000;

export class Round {
  readonly #clock: Clock;
  #openedAt: number | undefined;
  #hasReported = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The server accepted the watch. */
  opened(): void {
    this.#openedAt = this.#clock.now();
  }

  /** The watch sent a change, beyond the initial state. */
  reported(): void {
    this.#hasReported = true;
  }

  /** A complete list alone is not useful: a server that refuses every watch would get lists without a pause. */
  get wasUseful(): boolean {
    return (
      this.#hasReported || (this.#openedAt !== undefined && this.#clock.now() - this.#openedAt >= steadyMs)
    );
  }
}
