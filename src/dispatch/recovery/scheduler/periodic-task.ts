/** Does something again and again, each time so long after the last one ended, until it is stopped. */
import type { Clock } from '../../../platform/clock.ts';

export interface TickerOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** What is added to each wait, anew each time. */
  readonly spreadMs?: () => number;
  /** How long after the start it does it first; as long as between two turns unless given. */
  readonly firstMs?: number;
  readonly run: () => Promise<void>;
  /** A turn that failed is followed by the next one. */
  readonly onFailure: (error: unknown) => void;
}

export class PeriodicTask {
  readonly #options: TickerOptions;
  #stopTimer: () => void = () => undefined;
  #lease: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: TickerOptions) {
    this.#options = options;
  }

  start(): void {
    const { firstMs, everyMs } = this.#options;
    this.#after(firstMs ?? everyMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    await this.#lease;
  }

  #after(ms: number): void {
    const { clock, everyMs, spreadMs = () => 0 } = this.#options;
    if (this.#isStopped) return;
    this.#stopTimer = clock.after(ms, () => {
      this.#lease = this.#run().finally(() => this.#after(everyMs + spreadMs()));
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
