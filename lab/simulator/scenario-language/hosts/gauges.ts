/** What the managers of a story measure: the readers of their gauges, by name and labels, of their present lives. */
import { noMetrics, type Metrics } from '../../../../src/platform/metrics.ts';

export class Gauges {
  readonly #readers = new Map<string, Map<string, () => number>>();

  /** A new life forgets what the one before has measured. */
  of(process: string): Metrics {
    const readers = new Map<string, () => number>();
    this.#readers.set(process, readers);
    return {
      ...noMetrics,
      gauge: ({ name }, labels, read) => void readers.set([name, ...Object.values(labels)].join(' '), read),
    };
  }

  /** `scaleway_orphan_servers`, `muster_hosts Stranded`. */
  read(process: string, gauge: string): number | undefined {
    return this.#readers.get(process)?.get(gauge)?.();
  }
}
