/** Ends a watch that says nothing for too long, and one that nobody wants any more. */
import type { Clock } from '../../platform/clock.ts';

export class Watchdog {
  readonly #clock: Clock;
  readonly #silenceMaxMs: number;
  readonly #end = new AbortController();
  readonly #stop: AbortSignal;
  #disarm: () => void;

  /** `stop` ends the watch whatever it says. */
  constructor(clock: Clock, silenceMaxMs: number, stop: AbortSignal) {
    this.#clock = clock;
    this.#silenceMaxMs = silenceMaxMs;
    this.#stop = stop;
    this.#disarm = this.#arm();
    stop.addEventListener('abort', this.#giveUp);
    if (stop.aborted) this.#giveUp();
  }

  /** Aborted when the watch is to end. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** The server said something. */
  pet(): void {
    this.#disarm();
    this.#disarm = this.#arm();
  }

  /** The watch is over. */
  rest(): void {
    this.#disarm();
    this.#stop.removeEventListener('abort', this.#giveUp);
  }

  readonly #giveUp = (): void => this.#end.abort();

  #arm(): () => void {
    return this.#clock.after(this.#silenceMaxMs, this.#giveUp);
  }
}
