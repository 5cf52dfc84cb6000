/**
 * A work queue of keys to reconcile. A key waits at most once however often it is added, and is never reconciled
 * twice at the same time. A key that is added during its reconcile is reconciled again. Keys are served in the order
 * they became due, a failing key backs off alone, and no key is lost.
 */
import { jitteredBackoffMs, type Backoff } from '../platform/backoff.ts';
import type { Clock } from '../platform/clock.ts';
import { noMetrics, type Metrics } from '../platform/metrics.ts';
import { QueueMetrics, type VisitResult } from './work-queue-metrics.ts';
import type { Random } from '../platform/random.ts';

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How many keys are reconciled at once. */
  readonly workers: number;
  readonly backoff?: Backoff;
  /**
   * Above this many waiting keys the queue reports that it is overfull. It still accepts keys, because dropping one
   * would lose work.
   */
  readonly waitingMax?: number;
  /** The name in metrics. */
  readonly name?: string;
  readonly metrics?: Metrics;
}

/** When to reconcile again: at once, after a growing wait, at a time, or only after a change. */
export type Outcome = 'done' | 'now' | 'backoff' | { readonly at: number };

export interface QueueGauges {
  readonly waiting: number;
  readonly visiting: number;
  readonly delayed: number;
  /** Waiting time of the first key. */
  readonly oldestMs: number;
  readonly isOverfull: boolean;
}

const defaultBackoff: Backoff = { firstMs: 1000, maxMs: 5 * 60_000 };
/**
 * The first wait of a key that requests another reconcile at once. It must not occupy a worker, and with a lagging
 * cache the same conflict repeats until the cache has caught up.
 */
const againMs = 100;

interface Delayed {
  readonly at: number;
  readonly cancel: () => void;
}

export class KeyedQueue {
  readonly #options: QueueOptions;
  readonly #visit: (key: string) => Promise<Outcome>;
  /** Due keys with the time since when, in that order. */
  readonly #waiting = new Map<string, number>();
  readonly #visiting = new Set<string>();
  /** Keys added during their reconcile. */
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

  /** Reconciles the key as soon as a worker is free, even if the key waits for a later time. */
  add(key: string): void {
    if (this.#isStopped) return;
    this.#forgetDelay(key);
    if (this.#visiting.has(key)) this.#again.add(key);
    else if (!this.#waiting.has(key)) this.#waiting.set(key, this.#options.clock.now());
    this.#work();
  }

  /** Reconciles the key at that time at the latest. */
  addAt(key: string, at: number): void {
    const { clock } = this.#options;
    if (this.#isStopped || this.#waiting.has(key)) return;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.at <= at) return;
    this.#forgetDelay(key);
    const cancel = clock.after(Math.max(0, at - clock.now()), () => this.add(key));
    this.#delayed.set(key, { at, cancel });
  }

  /** Starts nothing new; resolves when running reconciles have ended. */
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
      // An unexpected error ends the process, so nothing here may hide it.
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
