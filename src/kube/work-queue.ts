/**
 * Keys that need a visit. A key waits at most once however often it is added; it is never visited twice at the same
 * time, and one that is added during its visit is visited again. Keys take turns in the order they became due, a failing
 * one waits alone, and nothing is lost: what is added is visited.
 */
import { jitteredBackoffMs, type Backoff } from '../platform/backoff.ts';
import type { Clock } from '../platform/clock.ts';
import { noMetrics, type Metrics } from '../platform/metrics.ts';
import { QueueMetrics, type VisitResult } from './work-queue-metrics.ts';
import type { Random } from '../platform/random.ts';

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How many keys are visited at once. */
  readonly workers: number;
  readonly backoff?: Backoff;
  /** Above this many waiting keys the queue says so; it takes them all the same, for dropping one would lose work. */
  readonly waitingMax?: number;
  /** What it is called in metrics. */
  readonly name?: string;
  readonly metrics?: Metrics;
}

/** When to come back: at once, after a growing wait, at a time, or only when something changes. */
export type Outcome = 'done' | 'now' | 'backoff' | { readonly at: number };

export interface QueueGauges {
  readonly waiting: number;
  readonly visiting: number;
  readonly delayed: number;
  /** How long the first key has been waiting for its turn. */
  readonly oldestMs: number;
  readonly isOverfull: boolean;
}

const defaultBackoff: Backoff = { firstMs: 1000, maxMs: 5 * 60_000 };
/**
 * What a key that asks for another visit at once waits at first. It must not keep a worker for itself; and where a cache
 * lags behind, the same conflict comes again until it has caught up.
 */
const againMs = 100;

interface Delayed {
  readonly at: number;
  readonly cancel: () => void;
}

export class KeyedQueue {
  readonly #options: QueueOptions;
  readonly #visit: (key: string) => Promise<Outcome>;
  /** Keys that are due, with the time since when; in the order they became so. */
  readonly #waiting = new Map<string, number>();
  readonly #visiting = new Set<string>();
  /** Added while being visited. */
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #idle: (() => void)[] = [];
  readonly #metrics: QueueMetrics;
  #isStopped = false;

  constructor(options: QueueOptions, visit: (key: string) => Promise<Outcome>) {
    this.#options = options;
    this.#visit = visit;
    const { metrics = noMetrics, name = 'queue' } = options;
    this.#metrics = new QueueMetrics(metrics, name, () => this.gauges());
  }

  /** The key is visited as soon as a worker is free, whatever later time it was waiting for. */
  add(key: string): void {
    if (this.#isStopped) return;
    this.#forgetDelay(key);
    if (this.#visiting.has(key)) this.#again.add(key);
    else if (!this.#waiting.has(key)) this.#waiting.set(key, this.#options.clock.now());
    this.#work();
  }

  /** The key is visited at that time at the latest. */
  addAt(key: string, at: number): void {
    const { clock } = this.#options;
    if (this.#isStopped || this.#waiting.has(key)) return;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.at <= at) return;
    this.#forgetDelay(key);
    const cancel = clock.after(Math.max(0, at - clock.now()), () => this.add(key));
    this.#delayed.set(key, { at, cancel });
  }

  /** Nothing new is begun; resolves when the visits that are under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waiting.clear();
    this.#again.clear();
    for (const key of this.#delayed.keys()) this.#forgetDelay(key);
    if (this.#visiting.size > 0) await new Promise<void>((resolve) => void this.#idle.push(resolve));
  }

  gauges(): QueueGauges {
    const [since] = this.#waiting.values();
    const { clock, waitingMax = Number.POSITIVE_INFINITY } = this.#options;
    return {
      waiting: this.#waiting.size,
      visiting: this.#visiting.size,
      delayed: this.#delayed.size,
      oldestMs: since === undefined ? 0 : clock.now() - since,
      isOverfull: this.#waiting.size > waitingMax,
    };
  }

  #work(): void {
    for (const key of this.#waiting.keys()) {
      if (this.#visiting.size >= this.#options.workers) return;
      this.#waiting.delete(key);
      this.#visiting.add(key);
      void this.#visitOne(key);
    }
  }

  async #visitOne(key: string): Promise<void> {
    const begunAt = this.#options.clock.now();
    let result: VisitResult = 'fault';
    try {
      const outcome = await this.#visit(key);
      result = typeof outcome === 'object' ? 'later' : outcome;
      this.#settle(key, outcome);
    } finally {
      this.#metrics.visited(result, this.#options.clock.now() - begunAt);
      // A visit that throws is a fault of our own: the process ends, and nothing here may hide it.
      this.#visiting.delete(key);
      if (this.#again.delete(key)) this.add(key);
      this.#work();
      if (this.#visiting.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  #settle(key: string, outcome: Outcome): void {
    const { clock } = this.#options;
    const { firstMs, maxMs } = this.#options.backoff ?? defaultBackoff;
    if (outcome === 'now') this.addAt(key, clock.now() + this.#nextWait(key, { firstMs: againMs, maxMs }));
    else if (outcome === 'backoff') this.addAt(key, clock.now() + this.#nextWait(key, { firstMs, maxMs }));
    else {
      this.#failures.delete(key);
      if (outcome !== 'done') this.addAt(key, outcome.at);
    }
  }

  #nextWait(key: string, backoff: Backoff): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    return jitteredBackoffMs(backoff, failures, this.#options.random);
  }

  #forgetDelay(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }
}
