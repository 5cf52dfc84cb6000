/**
 * The port to metrics. Instruments are asked for once, with their labels, and then cost an addition; a gauge is read only
 * when somebody looks. What is measured is listed in `metric-catalogue.ts`.
 */
export interface Metrics {
  /** The same one for the same labels. */
  counter<L extends string>(metric: CounterMetric<L>, labels: Labels<L>): Counter;
  /** One reader for each set of labels. */
  gauge<L extends string>(metric: GaugeMetric<L>, labels: Labels<L>, read: () => number): void;
  /** One reader for all series of a metric, where these come and go; what it does not give is not shown. */
  gauges<L extends string>(metric: GaugeMetric<L>, read: () => readonly Sample<L>[]): void;
  histogram<L extends string>(metric: HistogramMetric<L>, labels: Labels<L>): Histogram;
}

export interface Sample<L extends string> {
  readonly labels: Labels<L>;
  readonly value: number;
}

export interface Counter {
  /** One unless given; never less than zero. */
  add(amount?: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

export type Labels<L extends string> = Readonly<Record<L, string>>;

interface Described<L extends string> {
  /** With its unit, as Prometheus wants it: `…_seconds`, `…_total`. */
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
  /** Upper bounds, rising. */
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

/** What a label is called once it has had more values than anyone can look at. */
const overflow = 'other';
const valuesMax = 100;

/**
 * Counters that differ in a value only known when something happens, such as a reason that a server gave. Each is made
 * once; a server that makes up ever new ones cannot fill the memory with them.
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
