/** Reads the gauges of the managers of a story, by name and labels, of their present lives. */
import { noMetrics, type Metrics } from '../../../../src/platform/metrics.ts';

export class Gauges {
  readonly #readers = new Map<string, Map<string, () => number>>();

  /** A new life starts without the measurements of the life before. */
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
