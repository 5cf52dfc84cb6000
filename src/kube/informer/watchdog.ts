/** Ends a watch that is silent for too long or no longer needed. */
import type { Clock } from '../../platform/clock.ts';

export class Watchdog {
  readonly #clock: Clock;
  readonly #silenceMaxMs: number;
  readonly #end = new AbortController();
  readonly #stop: AbortSignal;
  #disarm: () => void;

  /** `stop` ends the watch in any case. */
  constructor(clock: Clock, silenceMaxMs: number, stop: AbortSignal) {
    this.#clock = clock;
    this.#silenceMaxMs = silenceMaxMs;
    this.#stop = stop;
    this.#disarm = this.#arm();
    stop.addEventListener('abort', this.#giveUp);
    if (stop.aborted) this.#giveUp();
  }

  /** Aborted when the watch must end. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** The server sent an event. */
  pet(): void {
    this.#disarm();
    this.#disarm = this.#arm();
  }

  /** The watch has ended. */
  rest(): void {
    this.#disarm();
    this.#stop.removeEventListener('abort', this.#giveUp);
  }

  readonly #giveUp = (): void => this.#end.abort();

  #arm(): () => void {
    return this.#clock.after(this.#silenceMaxMs, this.#giveUp);
  }
}
