/**
 * Records Events. A repetition raises the count of one Event, frequent Events are written rarely, and a failed write
 * goes to a hook: no controller fails or waits because of an Event.
 *
 * Guarantees: an Event is written at most once in `writeEveryMs`, a subject gets no more writes than its budget, and
 * memory is bounded. After a restart new series begin.
 */
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { KubeClient } from '../client/client.ts';
import type { Random } from '../../platform/random.ts';
import { EventBudget } from './event-budget.ts';
import { cutMessage, eventOf, events, placeFor, raised, type EventPlace } from './event-object.ts';
import type { EventDraft } from './event-draft.ts';

export interface EventRecorderOptions {
  /** A client with its own rate limit, so that Events do not delay other requests. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** The name of the process. */
  readonly component: string;
  /** Called once for each failure; the recorder retries. */
  readonly onFailure: (error: FleetError) => void;
  readonly limits?: Partial<Limits>;
}

interface Limits {
  /** A repetition within this time belongs to the same Event. */
  readonly windowMs: number;
  readonly writeEveryMs: number;
  /** Writes for one subject at once, and the time after which it gets one more. */
  readonly burst: number;
  readonly refillMs: number;
  /** Beyond this many, the series with the oldest Event is dropped. */
  readonly seriesMax: number;
  readonly attemptsMax: number;
}

const defaultLimits: Limits = {
  windowMs: 10 * 60_000,
  writeEveryMs: 10_000,
  burst: 25,
  refillMs: 5 * 60_000,
  seriesMax: 2048,
  attemptsMax: 10,
};

interface Series {
  readonly key: string;
  readonly event: EventDraft;
  readonly firstAt: number;
  lastAt: number;
  count: number;
  /** The count on the server; 0 while the server has no such Event. */
  written: number;
  place: EventPlace;
  dueAt: number;
  attempts: number;
}

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #limits: Limits;
  readonly #budget: EventBudget;
  /** Ordered by their last Event. */
  readonly #series = new Map<string, Series>();
  #dropped = 0;
  #armedFor = Number.POSITIVE_INFINITY;
  #disarm: () => void = () => undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#budget = new EventBudget(options.clock, { ...this.#limits, subjectsMax: this.#limits.seriesMax });
  }

  /** Returns at once. */
  record(event: EventDraft): void {
    const series = this.#seriesOf({ ...event, message: cutMessage(event.message) });
    if (series === undefined) {
      this.#dropped += 1;
      return;
    }
    series.count += 1;
    series.lastAt = this.#options.clock.now();
    this.#series.delete(series.key);
    this.#series.set(series.key, series);
    this.#forgetOldest();
    if (series.dueAt < this.#armedFor) this.#arm();
  }

  /** Writes all pending Events, due or not, at the end of a process. */
  async flush(): Promise<void> {
    this.#disarm();
    await this.#writeAll(() => true);
    this.#arm();
  }

  gauges(): { readonly series: number; readonly unwritten: number; readonly dropped: number } {
    return { series: this.#series.size, unwritten: this.#unwritten().length, dropped: this.#dropped };
  }

  /** Undefined if the subject has no budget left. */
  #seriesOf(event: EventDraft): Series | undefined {
    const { clock, random } = this.#options;
    const { subject, type, reason, message } = event;
    const key = JSON.stringify([subject.uid, type, reason, message]);
    const known = this.#series.get(key);
    const now = clock.now();
    if (known !== undefined && (isUnwritten(known) || now - known.lastAt < this.#limits.windowMs))
      return known;
    if (!this.#budget.take(subject.uid)) return undefined;
    const times = { firstAt: now, lastAt: now, count: 0, written: 0 };
    return { key, event, ...times, place: placeFor(subject, random), dueAt: now, attempts: 0 };
  }

  #forgetOldest(): void {
    const [oldest] = this.#series.values();
    if (this.#series.size > this.#limits.seriesMax && oldest !== undefined) this.#giveUp(oldest);
  }

  #giveUp(series: Series): void {
    this.#dropped += series.count - series.written;
    this.#series.delete(series.key);
  }

  #unwritten(): readonly Series[] {
    return [...this.#series.values()].filter(isUnwritten);
  }

  /** Sets the timer for the first due series, or none. */
  #arm(): void {
    const { clock } = this.#options;
    this.#disarm();
    const due = this.#unwritten().map(({ dueAt }) => dueAt);
    this.#armedFor = due.reduce((soonest, at) => Math.min(soonest, at), Number.POSITIVE_INFINITY);
    if (due.length > 0)
      this.#disarm = clock.after(Math.max(0, this.#armedFor - clock.now()), () => void this.#writeDue());
  }

  async #writeDue(): Promise<void> {
    await this.#writeAll((series) => this.#isDue(series));
    this.#arm();
  }

  /** The first write of a series was paid when the series began. */
  #isDue(series: Series): boolean {
    const now = this.#options.clock.now();
    if (series.dueAt > now) return false;
    if (series.written === 0 || this.#budget.take(series.event.subject.uid)) return true;
    series.dueAt = now + this.#limits.refillMs;
    return false;
  }

  /** One write at a time, after those under way. */
  async #writeAll(isDue: (series: Series) => boolean): Promise<void> {
    const before = this.#work;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#work = promise;
    await before;
    try {
      for (const series of this.#unwritten()) if (isDue(series)) await this.#write(series);
    } finally {
      resolve();
    }
  }

  async #write(series: Series): Promise<void> {
    const { count } = series;
    try {
      if (series.written === 0 || !(await this.#raise(series))) await this.#create(series);
      series.written = count;
      series.attempts = 0;
    } catch (error) {
      if (!isFleetError(error)) throw error;
      this.#failed(series, error);
    }
    series.dueAt = Math.max(series.dueAt, this.#options.clock.now() + this.#limits.writeEveryMs);
  }

  /**
   * False when the Event is gone, because servers keep Events for about an hour. The next Event gets another name.
   */
  async #raise(series: Series): Promise<boolean> {
    const { client, random } = this.#options;
    try {
      await client.patch(events, series.place, { merge: raised(series) });
      return true;
    } catch (error) {
      if (!isFleetError(error, 'gone')) throw error;
      series.place = placeFor(series.event.subject, random);
      return false;
    }
  }

  async #create(series: Series): Promise<void> {
    const { client, component } = this.#options;
    const { event, place } = series;
    const body = eventOf(event, { component, place, times: series });
    try {
      await client.create(events, { namespace: place.namespace ?? 'default' }, body);
    } catch (error) {
      if (!isFleetError(error, 'conflict')) throw error;
      // The recorder made the name, so an earlier attempt succeeded and only its answer was lost.
      await client.patch(events, place, { merge: raised(series) });
    }
  }

  #failed(series: Series, error: FleetError): void {
    this.#options.onFailure(error);
    series.attempts += 1;
    series.dueAt = Math.max(series.dueAt, error.retryAt ?? 0);
    const isHopeless = error.kind === 'rejected' || error.kind === 'gone';
    if (isHopeless || series.attempts >= this.#limits.attemptsMax) this.#giveUp(series);
  }
}

function isUnwritten({ count, written }: Series): boolean {
  return count > written;
}
