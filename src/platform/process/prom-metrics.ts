/**
 * Metrics in the text format of Prometheus, in a separate registry. Counters are plain numbers that are copied into
 * the library at scrape time, so that counting costs only an addition.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type * as port from '../metrics.ts';

interface Cell {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

interface Reader {
  readonly labels: Readonly<Record<string, string>>;
  readonly read: () => number;
}

export class PromMetrics implements port.Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Map<string, Cell>>();
  readonly #gauges = new Map<string, Map<string, Reader>>();
  readonly #histograms = new Map<string, Histogram>();

  /** Adds metrics of the process: memory, CPU, garbage collection, event loop lag. */
  measureProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  counter(metric: port.CounterMetric, labels: port.Labels<string>): port.Counter {
    const cells = this.#counters.get(metric.name) ?? this.#newCounter(metric);
    const key = keyOf(labels);
    const cell = cells.get(key) ?? { labels, value: 0 };
    cells.set(key, cell);
    return {
      add: (amount = 1) => {
        cell.value += Math.max(0, amount);
      },
    };
  }

  gauge(metric: port.GaugeMetric, labels: port.Labels<string>, read: () => number): void {
    const readers = this.#gauges.get(metric.name) ?? this.#newGauge(metric);
    const key = keyOf(labels);
    if (readers.has(key)) throw new Error(`${metric.name} ${key} has two readers; rename one of the metrics`);
    readers.set(key, { labels, read });
  }

  gauges(metric: port.GaugeMetric, read: () => readonly port.Sample<string>[]): void {
    const gauge = new Gauge({
      ...this.#described(metric),
      collect: () => {
        gauge.reset();
        // A gauge without labels is zero after a reset, and zero is a value.
        if (metric.labels.length === 0) gauge.remove();
        for (const { labels, value } of read()) gauge.set(labels, value);
      },
    });
  }

  histogram(metric: port.HistogramMetric, labels: port.Labels<string>): port.Histogram {
    return (this.#histograms.get(metric.name) ?? this.#newHistogram(metric)).labels(labels);
  }

  #newCounter(metric: port.CounterMetric): Map<string, Cell> {
    const cells = new Map<string, Cell>();
    this.#counters.set(metric.name, cells);
    const counter = new Counter({
      ...this.#described(metric),
      collect: () => {
        counter.reset();
        for (const { labels, value } of cells.values()) counter.inc(labels, value);
      },
    });
    return cells;
  }

  #newGauge(metric: port.GaugeMetric): Map<string, Reader> {
    const readers = new Map<string, Reader>();
    this.#gauges.set(metric.name, readers);
    const gauge = new Gauge({
      ...this.#described(metric),
      collect: () => {
        for (const { labels, read } of readers.values()) gauge.set(labels, read());
      },
    });
    return readers;
  }

  #newHistogram(metric: port.HistogramMetric): Histogram {
    const histogram = new Histogram({ ...this.#described(metric), buckets: [...metric.buckets] });
    this.#histograms.set(metric.name, histogram);
    return histogram;
  }

  #described({ name, help, labels }: port.Metric) {
    return { name, help, labelNames: labels, registers: [this.#registry] };
  }
}

function keyOf(labels: port.Labels<string>): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
