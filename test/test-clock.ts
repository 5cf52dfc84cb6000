/** Time that a test moves by hand. Whatever a step sets off is finished before the next one begins. */
import type { Clock } from '../src/runtime/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class TestClock implements Clock {
  #now: number;
  #timers: Timer[] = [];

  constructor(startsAt: number) {
    this.#now = startsAt;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  get pending(): number {
    return this.#timers.length;
  }

  nextAt(): number | undefined {
    return this.#first()?.at;
  }

  /** Moves time without running anything, as a clock does that is set. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Runs the next timer, if there is one. */
  async next(): Promise<void> {
    const first = this.#first();
    if (first === undefined) return;
    this.#timers = this.#timers.filter((timer) => timer !== first);
    this.#now = Math.max(this.#now, first.at);
    first.run();
    await this.settle();
  }

  /** Runs everything that falls due within this time. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (let at = this.nextAt(); at !== undefined && at <= until; at = this.nextAt()) await this.next();
    this.#now = Math.max(this.#now, until);
    await this.settle();
  }

  /** Every promise that can go on has gone on. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }

  #first(): Timer | undefined {
    return this.#timers.toSorted((a, b) => a.at - b.at)[0];
  }
}
