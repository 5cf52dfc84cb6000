/** Metrics of a work queue. */
import { queueMetrics as catalogue } from './metric-definitions.ts';
import type { Counter, Histogram, Metrics } from '../platform/metrics.ts';

export type VisitResult = 'done' | 'now' | 'backoff' | 'later' | 'fault';

export class QueueMetrics {
  readonly #visits: Readonly<Record<VisitResult, Counter>>;
  readonly #seconds: Histogram;
  readonly #retries: Counter;

  constructor(metrics: Metrics, queue: string, gauges: () => Gauges) {
    const ending = (result: VisitResult): Counter => metrics.counter(catalogue.visits, { queue, result });
    this.#visits = {
      done: ending('done'),
      now: ending('now'),
      backoff: ending('backoff'),
      later: ending('later'),
      fault: ending('fault'),
    };
    this.#seconds = metrics.histogram(catalogue.seconds, { queue });
    this.#retries = metrics.counter(catalogue.retries, { queue });
    metrics.gauge(catalogue.depth, { queue }, () => gauges().waiting);
    metrics.gauge(catalogue.oldest, { queue }, () => gauges().oldestMs / 1000);
  }

  visited(result: VisitResult, ms: number): void {
    this.#seconds.observe(ms / 1000);
    if (result === 'backoff') this.#retries.add();
    this.#visits[result].add();
  }
}

interface Gauges {
  readonly waiting: number;
  readonly oldestMs: number;
}
