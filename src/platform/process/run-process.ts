/**
 * The life of a process: it starts, runs until a stop signal, and ends in order. Readiness fails first. After a short
 * wait for clients that do not know that yet, the parts stop in the reverse order of their start, one after the
 * other; then the process exits with 0.
 *
 * Guarantees: the process always ends, on its own or at the deadline, and then logs the parts that still ran. After
 * an unexpected error it does nothing more, because its state is unknown. It exits once, with the first reason.
 */
import type { Clock } from '../clock.ts';
import { sleep } from '../sleep.ts';
import type { Logger } from '../logger.ts';
import type { Check } from './health-check.ts';

const exitCodes = {
  /** Stopped in order. */
  done: 0,
  /** The process could not start, a part could not be stopped, or an unexpected error occurred. */
  failed: 1,
  /** The deadline passed, or a second signal came. */
  cutShort: 3,
} as const;

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** The process as its parts see it; src/bin builds the real one. */
export interface Outside {
  onSignal(reported: (signal: StopSignal) => void): void;
  /** Called with an uncaught error. */
  onFault(reported: (error: unknown) => void): void;
  /** Does not return in a real process. */
  exit(code: number): void;
}

export interface ProcessOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly outside: Outside;
  /** From the first signal; Kubernetes kills after 30 s by default. */
  readonly deadlineMs: number;
  /**
   * Time to run on, unready, after the first signal: clients need a moment to learn that, and send requests until
   * then.
   */
  readonly lingerMs?: number;
  /** Starts the parts; rejects if that fails. Started parts are stopped in either case. */
  readonly start: (running: Running) => Promise<void>;
}

/** The process as its parts see it. */
export interface Running {
  /** Aborted at the first signal, so that a waiting start ends. */
  readonly signal: AbortSignal;
  /** Fails during the start, and from the first signal on. */
  readonly ready: Check;
  /** Fails after an unexpected error, until the exit. */
  readonly alive: Check;
  /** Registers the stop of a started part. The last started part stops first. */
  onStop(part: string, stop: () => Promise<void> | void): void;
  /** Reports an unexpected error: the process ends at once. */
  readonly crash: (error: unknown) => void;
}

/** Resolves when the process has ended, which a real process never sees. */
export async function runProcess(options: ProcessOptions): Promise<void> {
  await new Life(options).run();
}

interface Part {
  readonly name: string;
  readonly stop: () => Promise<void> | void;
}

class Life implements Running {
  readonly #options: ProcessOptions;
  readonly #stopping = new AbortController();
  readonly #reported = Promise.withResolvers<void>();
  readonly #parts: Part[] = [];
  /** The phase, for the readiness message. */
  #phase: 'is starting' | 'runs' | 'is stopping' | 'had an unexpected error' = 'is starting';
  #exitCode: number | undefined;
  #failures = 0;
  #isStarting = true;

  readonly signal = this.#stopping.signal;
  readonly ready: Check = {
    name: 'process',
    check: () => (this.#phase === 'runs' ? undefined : `the process ${this.#phase}`),
  };
  readonly alive: Check = {
    name: 'process',
    check: () => (this.#phase === 'had an unexpected error' ? `the process ${this.#phase}` : undefined),
  };

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { outside } = this.#options;
    outside.onFault(this.crash);
    outside.onSignal((signal) => this.#signalled(signal));
    await this.#start();
    if (!this.#hasEnded) await this.#stopAll();
    this.#exit(this.#failures === 0 ? exitCodes.done : exitCodes.failed);
  }

  onStop(name: string, stop: Part['stop']): void {
    this.#parts.push({ name, stop });
  }

  readonly crash = (error: unknown): void => {
    if (this.#hasEnded) return;
    this.#phase = 'had an unexpected error';
    try {
      this.#options.logger.fatal('unexpected error, shutting down', { error });
    } finally {
      this.#exit(exitCodes.failed);
    }
  };

  /** Also resolves when an aborted start has ended: only then are the parts to stop known. */
  async #start(): Promise<void> {
    const { logger } = this.#options;
    try {
      await this.#options.start(this);
    } catch (error) {
      if (!this.#isStopping) {
        this.#failures += 1;
        logger.error('failed to start process', { error });
      }
      return;
    } finally {
      this.#isStarting = false;
    }
    if (this.#isStopping || this.#hasEnded) return;
    this.#phase = 'runs';
    logger.info('started process');
    await this.#reported.promise;
    await this.#linger();
  }

  async #linger(): Promise<void> {
    const { clock, lingerMs = 0 } = this.#options;
    if (lingerMs === 0) return;
    await sleep(clock, lingerMs);
  }

  get #hasEnded(): boolean {
    return this.#exitCode !== undefined;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #signalled(signal: StopSignal): void {
    if (this.#isStopping) return this.#cutShort(`a second signal came: ${signal}`);
    const { clock, logger, deadlineMs } = this.#options;
    this.#phase = 'is stopping';
    this.#stopping.abort();
    clock.after(deadlineMs, () => this.#cutShort(`the process did not stop within ${deadlineMs / 1000} s`));
    logger.info('stopping process', { signal, parts: this.#names() });
    this.#reported.resolve();
  }

  async #stopAll(): Promise<void> {
    this.#phase = 'is stopping';
    for (let part = this.#parts.at(-1); part !== undefined; part = this.#parts.at(-1)) {
      await this.#stopOne(part);
      if (this.#hasEnded) return;
      this.#parts.splice(this.#parts.indexOf(part), 1);
    }
  }

  /** A failed stop must not affect the other parts: a lease that is not released delays the next leader. */
  async #stopOne({ name, stop }: Part): Promise<void> {
    const { logger } = this.#options;
    try {
      await stop();
      logger.debug('stopped part', { part: name });
    } catch (error) {
      this.#failures += 1;
      logger.error('failed to stop part', { part: name, error });
    }
  }

  #cutShort(why: string): void {
    if (this.#hasEnded) return;
    const stillRunning = [...(this.#isStarting ? ['start'] : []), ...this.#names()];
    this.#options.logger.error('failed to stop process in order', { why, stillRunning });
    this.#exit(exitCodes.cutShort);
  }

  /** In the order of their stop. */
  #names(): readonly string[] {
    return this.#parts.map(({ name }) => name).toReversed();
  }

  #exit(code: number): void {
    if (this.#hasEnded) return;
    this.#exitCode = code;
    this.#options.outside.exit(code);
  }
}
