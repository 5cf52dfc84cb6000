/**
 * The life of a process: it starts, runs until it is told to stop, and ends in order. Readiness goes first; then, after a moment
 * for whoever has not heard of it, what was started is stopped in the reverse order, each part when the one before has finished; then the process ends with 0.
 *
 * Keeps: it always ends, by itself or by the deadline, and then says what still ran; after a fault of our own it does
 * nothing more, for nobody knows what it would be doing. It ends once, with the first reason there was.
 */
import type { Clock } from '../clock.ts';
import { sleep } from '../sleep.ts';
import type { Logger } from '../logger.ts';
import type { Check } from './health-check.ts';

const exitCodes = {
  /** Stopped in order. */
  done: 0,
  /** It could not start, a part could not be stopped, or it met a fault of our own. */
  failed: 1,
  /** It was cut short by the deadline or by a second signal. */
  cutShort: 3,
} as const;

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** The process as seen from inside; the real one is built in src/bin. */
export interface Outside {
  onSignal(reported: (signal: StopSignal) => void): void;
  /** Told of what nobody caught. */
  onFault(reported: (error: unknown) => void): void;
  /** Does not return in a real process. */
  exit(code: number): void;
}

export interface ProcessOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly outside: Outside;
  /** From the first signal; Kubernetes kills after 30 s unless told otherwise. */
  readonly deadlineMs: number;
  /** How long it goes on after the first signal, unready: others take a moment to hear that, and send to it until then. */
  readonly lingerMs?: number;
  /** Starts the parts; rejects when it cannot. What it began is stopped also then. */
  readonly start: (running: Running) => Promise<void>;
}

/** What the parts of a process get to know of it. */
export interface Running {
  /** Aborted at the first signal, so that a start which waits for something gives up. */
  readonly signal: AbortSignal;
  /** Fails while the process starts, and from the first signal on. */
  readonly ready: Check;
  /** Fails after a fault of our own, for the moment that is left. */
  readonly alive: Check;
  /** Stops a part that was started. The last one that was started is stopped first. */
  onStop(part: string, stop: () => Promise<void> | void): void;
  /** A fault of our own: the process ends here and now. */
  readonly crash: (error: unknown) => void;
}

/** Resolves when the process was told to end, which a real one does not live to see. */
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
  /** What it is doing, for whoever asks why it is not ready. */
  #phase: 'is starting' | 'runs' | 'is stopping' | 'met a fault' = 'is starting';
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
    check: () => (this.#phase === 'met a fault' ? `the process ${this.#phase}` : undefined),
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
    this.#phase = 'met a fault';
    try {
      this.#options.logger.fatal('the process ends: it met a fault of its own', { error });
    } finally {
      this.#exit(exitCodes.failed);
    }
  };

  /** Also over when a start that was given up has ended: only then is it known what is to be stopped. */
  async #start(): Promise<void> {
    const { logger } = this.#options;
    try {
      await this.#options.start(this);
    } catch (error) {
      if (!this.#isStopping) {
        this.#failures += 1;
        logger.error('the process could not start', { error });
      }
      return;
    } finally {
      this.#isStarting = false;
    }
    if (this.#isStopping || this.#hasEnded) return;
    this.#phase = 'runs';
    logger.info('the process runs');
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
    clock.after(deadlineMs, () => this.#cutShort(`it did not stop within ${deadlineMs / 1000} s`));
    logger.info('the process stops', { signal, parts: this.#names() });
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

  /** One that fails to stop must not keep the others from it: a lease that is not given back costs the next leader time. */
  async #stopOne({ name, stop }: Part): Promise<void> {
    const { logger } = this.#options;
    try {
      await stop();
      logger.debug('a part has stopped', { part: name });
    } catch (error) {
      this.#failures += 1;
      logger.error('a part could not be stopped', { part: name, error });
    }
  }

  #cutShort(why: string): void {
    if (this.#hasEnded) return;
    const stillRunning = [...(this.#isStarting ? ['start'] : []), ...this.#names()];
    this.#options.logger.error('the process is cut short', { why, stillRunning });
    this.#exit(exitCodes.cutShort);
  }

  /** In the order in which they are stopped. */
  #names(): readonly string[] {
    return this.#parts.map(({ name }) => name).toReversed();
  }

  #exit(code: number): void {
    if (this.#hasEnded) return;
    this.#exitCode = code;
    this.#options.outside.exit(code);
  }
}
