/** One attempt of an informer to follow the server, and whether it was worth more than another attempt right after it. */
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

  /** The watch told something that happened, not only what there was. */
  reported(): void {
    this.#hasReported = true;
  }

  /** A complete list alone is none: who accepts no watch on it would be asked for lists without a pause. */
  get wasUseful(): boolean {
    return (
      this.#hasReported || (this.#openedAt !== undefined && this.#clock.now() - this.#openedAt >= steadyMs)
    );
  }
}
