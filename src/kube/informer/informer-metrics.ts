/** Metrics of an informer. */
import { informerMetrics as catalogue } from '../metric-definitions.ts';
import { CountersBy, type Counter, type Metrics } from '../../platform/metrics.ts';

interface Copy {
  readonly ageMs: number;
  readonly size: number;
}

export class InformerMetrics {
  readonly relists: Counter;
  readonly #restarts: CountersBy;

  constructor(metrics: Metrics, informer: string, copy: Copy) {
    metrics.gauge(catalogue.age, { informer }, () => copy.ageMs / 1000);
    metrics.gauge(catalogue.objects, { informer }, () => copy.size);
    this.relists = metrics.counter(catalogue.relists, { informer });
    this.#restarts = new CountersBy((reason) => metrics.counter(catalogue.restarts, { informer, reason }));
  }

  restarted(reason: string): void {
    this.#restarts.add(reason);
  }
}
