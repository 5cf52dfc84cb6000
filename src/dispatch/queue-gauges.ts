/** The gauges of the queue, from a look at the store every now and then: whoever scrapes must not load the database. */
import type { Clock } from '../runtime/clock.ts';
import { dispatchMetrics } from '../runtime/metric-catalogue.ts';
import type { Metrics, Sample } from '../runtime/metrics.ts';
import type { JobStore, Signals } from './store/port.ts';
import type { Claim } from './store/rows.ts';

export interface QueueGaugePorts {
  readonly store: Pick<JobStore, 'signals' | 'claims'>;
  readonly clock: Clock;
  /** Every pool that there is: one without jobs is shown with zero, and one that is gone is not shown. */
  readonly pools: () => readonly string[];
}

const states = ['claimed', 'running'] as const;

export class QueueGauges {
  readonly #ports: QueueGaugePorts;
  #signals: ReadonlyMap<string, Signals> = new Map();
  #claims: readonly Claim[] = [];

  constructor(ports: QueueGaugePorts) {
    this.#ports = ports;
  }

  async look(): Promise<void> {
    const { store, clock, pools } = this.#ports;
    const at = clock.now();
    const found: [string, Signals][] = [];
    for (const pool of pools()) found.push([pool, await store.signals(pool, at)]);
    this.#claims = await store.claims();
    this.#signals = new Map(found);
  }

  measure(metrics: Metrics): void {
    metrics.gauges(dispatchMetrics.queue, () => this.#each(({ queued }) => queued));
    metrics.gauges(dispatchMetrics.withheld, () => this.#each(({ withheld }) => withheld));
    metrics.gauges(dispatchMetrics.oldest, () =>
      this.#each(({ oldestQueuedAt }) =>
        oldestQueuedAt === undefined ? 0 : (this.#ports.clock.now() - oldestQueuedAt) / 1000,
      ),
    );
    metrics.gauges(dispatchMetrics.claims, () =>
      [...this.#signals.keys()].flatMap((fleet) =>
        states.map((state) => ({
          labels: { fleet, lifecycle_state: state },
          value: this.#claims.filter((claim) => claim.pool === fleet && claim.state === state).length,
        })),
      ),
    );
  }

  #each(value: (signals: Signals) => number): readonly Sample<'fleet'>[] {
    return [...this.#signals].map(([fleet, signals]) => ({ labels: { fleet }, value: value(signals) }));
  }
}
