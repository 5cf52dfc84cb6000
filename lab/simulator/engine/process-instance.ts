/**
 * One life of a process. Everything that reaches it, its own timers included, comes through here: a dead one is reached
 * by nothing, a paused one by nothing until it goes on, and then by all of it in the order it came.
 */
import type { Clock } from '../../../src/platform/clock.ts';
import type { ComingEvent } from './event-heap.ts';
import type { Schedule } from './schedule.ts';

export interface IncarnationOptions {
  readonly process: string;
  /** From 1. */
  readonly number: number;
  readonly schedule: Schedule;
  /** How far the clock of its machine is off, now. */
  readonly skewMs: () => number;
  /** Told when its code throws; nobody else would be. */
  readonly failed: (error: unknown) => void;
}

export class ProcessInstance {
  readonly process: string;
  readonly label: string;
  readonly clock: Clock;
  readonly #options: IncarnationOptions;
  readonly #timerLabel: string;
  readonly #timers = new Set<ComingEvent>();
  readonly #atDeath = new Set<() => void>();
  #inbox: (() => void)[] = [];
  #state: 'running' | 'paused' | 'dead' = 'running';
  #isCatchingUp = false;

  constructor(options: IncarnationOptions) {
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

  /** Something arrives at the process: a reply, an event of a watch, a signal. */
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

  /** What it has sent is under way and will land; nothing else of it remains. */
  kill(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#inbox = [];
    for (const timer of this.#timers) this.#options.schedule.cancel(timer);
    this.#timers.clear();
    for (const end of this.#atDeath) end();
    this.#atDeath.clear();
  }

  /** Runs `end` when it dies, unless what this gives is called before. */
  atDeath(end: () => void): () => void {
    this.#atDeath.add(end);
    return () => void this.#atDeath.delete(end);
  }

  /** Timers count real time that passed; a clock that is set does not move them. */
  #after(ms: number, then: () => void): () => void {
    if (this.#state === 'dead') return () => undefined;
    let isWanted = true;
    const timer = this.#options.schedule.after(ms, this.#timerLabel, () => {
      this.#timers.delete(timer);
      // It may be taken back while it is held for a process that is paused.
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

  /** One by one, so that others may come between. */
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
