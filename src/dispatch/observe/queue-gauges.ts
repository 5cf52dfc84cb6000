/** The queue gauges, read from the store at intervals, so that scrapes do not load the database. */
import type { Clock } from '../../platform/clock.ts';
import { dispatchMetrics } from './metric-definitions.ts';
import type { Metrics, Sample } from '../../platform/metrics.ts';
import type { KnownPool } from '../assign/runner-pool-lister.ts';
import type { JobStore, Signals } from '../store/port.ts';
import type { Claim } from '../store/rows.ts';
import { isPastCounting } from '../store/session-load.ts';

export interface QueueGaugePorts {
  readonly store: Pick<JobStore, 'signals' | 'claims' | 'queuedPools' | 'openSessions'>;
  readonly clock: Clock;
  /** Every pool, including pools being deleted; undefined until the informer is synced. */
  readonly pools: () => readonly KnownPool[] | undefined;
}

interface PoolSeen {
  readonly fleet: string;
  /** Whether the pool exists and is not being deleted. */
  readonly isStaying: boolean;
  readonly signals: Signals;
  readonly claims: readonly Claim[];
  readonly clamped: number;
}

const states = ['claimed', 'running'] as const;

export class QueueGauges {
  readonly #ports: QueueGaugePorts;
  #seen: readonly PoolSeen[] = [];
  /** Start of the last complete read; before the first, the creation of this object. */
  #seenAt: number;

  constructor(ports: QueueGaugePorts) {
    this.#ports = ports;
    this.#seenAt = ports.clock.now();
  }

  /** An existing pool always has series; a deleted pool has them as long as jobs, claims or sessions remain. */
  async look(): Promise<void> {
    const { store, clock, pools } = this.#ports;
    const at = clock.now();
    const queued = await store.queuedPools();
    const claims = await store.claims();
    const clamped = (await store.openSessions()).filter((session) => isPastCounting(session, at));
    // Read the pools after the jobs: a new pool may get its first job between the two reads.
    const known = pools();
    // Without the pools, all pools would look deleted.
    if (known === undefined) return;
    const staying = new Set(known.filter((pool) => !pool.isBeingDeleted).map(({ name }) => name));
    const left = [...claims, ...clamped].map(({ pool }) => pool);
    const seen: PoolSeen[] = [];
    for (const fleet of new Set([...known.map(({ name }) => name), ...queued, ...left]))
      seen.push({
        fleet,
        isStaying: staying.has(fleet),
        signals: await store.signals(fleet, at),
        claims: claims.filter(({ pool }) => pool === fleet),
        clamped: clamped.filter(({ pool }) => pool === fleet).length,
      });
    this.#seen = seen;
    this.#seenAt = at;
  }

  measure(metrics: Metrics): void {
    const each = (value: (seen: PoolSeen) => number) => (): readonly Sample<'fleet'>[] =>
      this.#seen.map((seen) => ({ labels: { fleet: seen.fleet }, value: value(seen) }));
    metrics.gauges(
      dispatchMetrics.queue,
      each(({ signals }) => signals.queued),
    );
    metrics.gauges(
      dispatchMetrics.withheld,
      each(({ signals }) => signals.withheld),
    );
    metrics.gauges(
      dispatchMetrics.oldest,
      each(({ signals: { oldestQueuedAt } }) =>
        oldestQueuedAt === undefined ? 0 : (this.#ports.clock.now() - oldestQueuedAt) / 1000,
      ),
    );
    metrics.gauges(
      dispatchMetrics.withoutPool,
      each(({ isStaying, signals: { queued, withheld } }) => (isStaying ? 0 : queued + withheld)),
    );
    metrics.gauges(
      dispatchMetrics.clamped,
      each(({ clamped }) => clamped),
    );
    metrics.gauges(dispatchMetrics.claims, () => this.#claims());
    metrics.gauge(dispatchMetrics.lookAge, {}, () => (this.#ports.clock.now() - this.#seenAt) / 1000);
  }

  #claims(): readonly Sample<'fleet' | 'lifecycle_state'>[] {
    return this.#seen.flatMap(({ fleet, claims }) =>
      states.map((state) => ({
        labels: { fleet, lifecycle_state: state },
        value: claims.filter((claim) => claim.state === state).length,
      })),
    );
  }
}
