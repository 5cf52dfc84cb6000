/**
 * One life of a process. Every delivery, the process's own timers included, passes through here: a dead process
 * receives nothing; a paused process receives all of it in order when resumed.
 */
import type { Clock } from '../../../src/platform/clock.ts';
import type { ComingEvent } from './event-heap.ts';
import type { Schedule } from './schedule.ts';

export interface ProcessInstanceOptions {
  readonly process: string;
  /** Counts from 1. */
  readonly number: number;
  readonly schedule: Schedule;
  /** The present clock skew of the machine, in milliseconds. */
  readonly skewMs: () => number;
  /** Called when the code of the process throws; no other part would see the error. */
  readonly failed: (error: unknown) => void;
}

export class ProcessInstance {
  readonly process: string;
  readonly label: string;
  readonly clock: Clock;
  readonly #options: ProcessInstanceOptions;
  readonly #timerLabel: string;
  readonly #timers = new Set<ComingEvent>();
  readonly #atDeath = new Set<() => void>();
  #inbox: (() => void)[] = [];
  #state: 'running' | 'paused' | 'dead' = 'running';
  #isCatchingUp = false;

  constructor(options: ProcessInstanceOptions) {
    this.#options = options;
    this.process = options.process;
    this.label = `${options.process}#${options.number}`;
    this.#timerLabel = `${this.label} timer`;
    this.clock = {
      now: () => options.schedule.now + options.skewMs(),
      after: (ms, then) => this.#after(ms, then),
    };
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  get isPaused(): boolean {
    return this.#state === 'paused';
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Delivers an event to the process: a reply, a watch event, a signal. */
  deliver(run: () => void): void {
    if (this.#state === 'dead') return;
    if (this.#state === 'paused' || this.#inbox.length > 0) this.#inbox.push(run);
    else this.#run(run);
  }

  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    this.#catchUpLater();
  }

  /** Requests already sent still land; everything else of the process is dropped. */
  kill(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#inbox = [];
    for (const timer of this.#timers) this.#options.schedule.cancel(timer);
    this.#timers.clear();
    for (const end of this.#atDeath) end();
    this.#atDeath.clear();
  }

  /** Runs `end` at the death of the process, unless the returned function is called before. */
  atDeath(end: () => void): () => void {
    this.#atDeath.add(end);
    return () => void this.#atDeath.delete(end);
  }

  /** Timers count real elapsed time; setting the clock does not move a timer. */
  #after(ms: number, then: () => void): () => void {
    if (this.#state === 'dead') return () => undefined;
    let isWanted = true;
    const timer = this.#options.schedule.after(ms, this.#timerLabel, () => {
      this.#timers.delete(timer);
      // A timer may be canceled while it is held for a paused process.
      this.deliver(() => isWanted && then());
    });
    this.#timers.add(timer);
    return () => {
      isWanted = false;
      if (this.#timers.delete(timer)) this.#options.schedule.cancel(timer);
    };
  }

  #run(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#options.failed(error);
    }
  }

  /** Delivers the held events one by one, so that other events may run in between. */
  #catchUpLater(): void {
    if (this.#isCatchingUp || this.#inbox.length === 0) return;
    this.#isCatchingUp = true;
    this.#options.schedule.after(0, `${this.label} catches up`, () => {
      this.#isCatchingUp = false;
      if (this.#state !== 'running') return;
      const run = this.#inbox.shift();
      if (run !== undefined) this.#run(run);
      this.#catchUpLater();
    });
  }
}
