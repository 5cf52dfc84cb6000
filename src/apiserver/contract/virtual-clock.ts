/** Time that passes only when someone waits: a wait runs the next timer at once, however far off it is. */
import type { Clock } from '../../runtime/clock.ts';

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

  /** Everything that is due without waiting. */
  runDue(): void {
    while (this.#timers.some((timer) => timer.at <= this.#now)) this.runNext();
  }

  /** Goes to the next timer and runs it; false when there is none. */
  runNext(): boolean {
    const [first, ...rest] = this.#timers.toSorted((a, b) => a.at - b.at);
    if (first === undefined) return false;
    this.#timers = rest;
    this.#now = Math.max(this.#now, first.at);
    first.run();
    return true;
  }
}
