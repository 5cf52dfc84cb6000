/**
 * The port to metrics. An instrument is created once with its labels, and then costs an addition. A gauge is read
 * only at scrape time.
 */
export interface Metrics {
  /** Returns the same counter for the same labels. */
  counter<L extends string>(metric: CounterMetric<L>, labels: Labels<L>): Counter;
  /** One reader for each set of labels. */
  gauge<L extends string>(metric: GaugeMetric<L>, labels: Labels<L>, read: () => number): void;
  /** One reader for all series of a metric whose series come and go. Series that it does not return are not shown. */
  gauges<L extends string>(metric: GaugeMetric<L>, read: () => readonly Sample<L>[]): void;
  histogram<L extends string>(metric: HistogramMetric<L>, labels: Labels<L>): Histogram;
}

export interface Sample<L extends string> {
  readonly labels: Labels<L>;
  readonly value: number;
}

export interface Counter {
  /** Adds 1 by default; never negative. */
  add(amount?: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

export type Labels<L extends string> = Readonly<Record<L, string>>;

interface Described<L extends string> {
  /** With its unit, as Prometheus requires: `…_seconds`, `…_total`. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

export interface CounterMetric<L extends string = string> extends Described<L> {
  readonly type: 'counter';
}

export interface GaugeMetric<L extends string = string> extends Described<L> {
  readonly type: 'gauge';
}

export interface HistogramMetric<L extends string = string> extends Described<L> {
  readonly type: 'histogram';
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

export type Metric = CounterMetric | GaugeMetric | HistogramMetric;

/** Measures nothing. */
export const noMetrics: Metrics = {
  counter: () => ({ add: () => undefined }),
  gauge: () => undefined,
  gauges: () => undefined,
  histogram: () => ({ observe: () => undefined }),
};

/** The label value that collects all values over the limit. */
const overflow = 'other';
const valuesMax = 100;

/**
 * Counters for a label value that is only known at runtime, such as a reason from a server. Each is created once. The
 * limit bounds the memory if a server sends ever new values.
 */
export class CountersBy {
  readonly #make: (value: string) => Counter;
  readonly #made = new Map<string, Counter>();

  constructor(make: (value: string) => Counter) {
    this.#make = make;
  }

  add(value: string): void {
    const known = this.#made.get(value);
    if (known !== undefined) known.add();
    else this.#remember(this.#made.size < valuesMax ? value : overflow).add();
  }

  #remember(value: string): Counter {
    const counter = this.#made.get(value) ?? this.#make(value);
    this.#made.set(value, counter);
    return counter;
  }
}
