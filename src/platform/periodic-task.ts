/** Runs a task again and again, each time a fixed delay after the last run ended, until it is stopped. */
import type { Clock } from './clock.ts';

export interface PeriodicTaskOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Added to each delay, drawn anew each time. */
  readonly spreadMs?: () => number;
  /** Delay of the first run; `everyMs` unless given. */
  readonly firstMs?: number;
  readonly run: () => Promise<void>;
  /** A failed run does not end the task. */
  readonly onFailure: (error: unknown) => void;
}

export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #stopTimer: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  start(): void {
    const { firstMs, everyMs } = this.#options;
    this.#after(firstMs ?? everyMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    await this.#running;
  }

  #after(ms: number): void {
    const { clock, everyMs, spreadMs = () => 0 } = this.#options;
    if (this.#isStopped) return;
    this.#stopTimer = clock.after(ms, () => {
      this.#running = this.#run().finally(() => this.#after(everyMs + spreadMs()));
    });
  }

  async #run(): Promise<void> {
    try {
      await this.#options.run();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }
}
