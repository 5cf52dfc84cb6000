/**
 * The single order of all events: on virtual time, one after another, each with all the promises that it wakes before
 * the next event. The seed decides the order of events of the same instant.
 */
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';
import { EventHeap, type ComingEvent } from './event-heap.ts';

/** Resolves when every promise that can continue has done so: one round of the real event loop. */
export type Drain = () => Promise<void>;

export interface ScheduleOptions {
  readonly startsAt: number;
  /** Decides between events of the same instant. */
  readonly ties: Random;
  readonly drain: Drain;
  /** Called for each event before it runs. */
  readonly seen?: (event: ComingEvent) => void;
}

export type RunEnd =
  /** The time was reached. */
  | { readonly end: 'time' }
  /** An event called `halt`. */
  | { readonly end: 'halt' }
  /** No event is left; the waiters are named. */
  | { readonly end: 'deadlock'; readonly waiting: readonly string[] }
  | { readonly end: 'idle' };

/** Injected events come first in their instant, so that the time of their planning does not matter. */
const directorTie = -1;
const tieRange = 2 ** 31;
/** About thirty years. */
const neverMs = 1e12;

export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #heap = new EventHeap();
  readonly #waiting = new Map<number, { readonly label: string; readonly since: number }>();
  #now: number;
  #order = 0;
  #halted = false;
  #events = 0;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#now = options.startsAt;
  }

  get now(): number {
    return this.#now;
  }

  get startsAt(): number {
    return this.#options.startsAt;
  }

  /** The number of events that ran, injected events excluded. */
  get events(): number {
    return this.#events;
  }

  get pending(): readonly ComingEvent[] {
    return this.#heap.all;
  }

  after(ms: number, label: string, run: () => void): ComingEvent {
    return this.#add(ms, Math.floor(this.#options.ties.next() * tieRange), { label, run });
  }

  /** Schedules an injected event: first in its instant, not counted, and without a random draw. */
  direct(ms: number, label: string, run: () => void): ComingEvent {
    return this.#add(ms, directorTie, { label, run });
  }

  cancel(event: ComingEvent): void {
    this.#heap.remove(event);
  }

  clock(label: string): Clock {
    return {
      now: () => this.#now,
      after: (ms, then) => {
        // A timer beyond any run must not count as a pending event.
        if (ms >= neverMs) return () => undefined;
        const event = this.after(ms, label, then);
        return () => this.cancel(event);
      },
    };
  }

  /** Registers a waiter for something that has no time of its own; the returned function ends the wait. */
  wait(label: string): () => void {
    const key = this.#order;
    this.#order += 1;
    this.#waiting.set(key, { label, since: this.#now });
    return () => void this.#waiting.delete(key);
  }

  /** Names the waiters that have waited since `time` or longer. */
  waitingSince(time: number): readonly string[] {
    return [...this.#waiting.values()]
      .flatMap(({ label, since }) => (since <= time ? [label] : []))
      .toSorted();
  }

  /** Ends the run after the current event. */
  halt(): void {
    this.#halted = true;
  }

  /** Runs everything up to and including `until`. `afterEach` is called when the promises of an event have settled. */
  async runUntil(until: number, afterEach: () => void = () => undefined): Promise<RunEnd> {
    const { drain } = this.#options;
    await drain();
    while (!this.#halted) {
      const next = this.#heap.first;
      if (next === undefined) return this.#restingEnd(until);
      if (next.at > until) {
        this.#now = until;
        return { end: 'time' };
      }
      this.#run(next);
      await drain();
      afterEach();
    }
    return { end: 'halt' };
  }

  #run(event: ComingEvent): void {
    this.#heap.remove(event);
    this.#now = event.at;
    if (event.tie !== directorTie) {
      this.#events += 1;
      this.#options.seen?.(event);
    }
    event.run();
  }

  #restingEnd(until: number): RunEnd {
    if (this.#waiting.size > 0) return { end: 'deadlock', waiting: this.waitingSince(this.#now) };
    this.#now = until;
    return { end: 'idle' };
  }

  #add(ms: number, tie: number, { label, run }: Pick<ComingEvent, 'label' | 'run'>): ComingEvent {
    if (!Number.isFinite(ms)) throw new RangeError(`${label} cannot happen after ${ms} ms`);
    const order = this.#order;
    this.#order += 1;
    const event: ComingEvent = { at: this.#now + Math.max(0, ms), tie, order, label, run, place: -1 };
    this.#heap.push(event);
    return event;
  }
}
