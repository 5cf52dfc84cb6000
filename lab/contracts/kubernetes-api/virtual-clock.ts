/** Time that advances only when a caller waits: a wait runs the next timer at once, however far off it is. */
import type { Clock } from '../../../src/platform/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class VirtualClock implements Clock {
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

  /** Moves time without running timers, like a clock that is set. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Runs all due timers. */
  runDue(): void {
    while (this.#timers.some((timer) => timer.at <= this.#now)) this.runNext();
  }

  /** Advances to the next timer and runs it; returns false without a timer. */
  runNext(): boolean {
    const first = this.#first();
    if (first === undefined) return false;
    this.#timers = this.#timers.filter((timer) => timer !== first);
    this.#now = Math.max(this.#now, first.at);
    first.run();
    return true;
  }

  #first(): Timer | undefined {
    return this.#timers.toSorted((a, b) => a.at - b.at)[0];
  }
}
