/** Runs a task until stopped, with a fixed delay between the end of one run and the start of the next. */
import type { Clock } from './clock.ts';

export interface PeriodicTaskOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Added to each delay, drawn anew each time. */
  readonly spreadMs?: () => number;
  /** Delay before the first run; `everyMs` unless given. */
  readonly firstMs?: number;
  readonly run: () => Promise<void>;
  /** A failed run does not stop the task. */
  readonly onFailure: (error: unknown) => void;
}

export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #stopTimer: () => void = () => undefined;
  #current: Promise<void> = Promise.resolve();
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
    await this.#current;
  }

  #after(ms: number): void {
    const { clock, everyMs, spreadMs = () => 0 } = this.#options;
    if (this.#isStopped) return;
    this.#stopTimer = clock.after(ms, () => {
      this.#current = this.#run().finally(() => this.#after(everyMs + spreadMs()));
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
