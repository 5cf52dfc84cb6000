/** Gauges of runner pools. */
import type { LastSums } from '../../runner-pools/autoscaler/status.ts';
import { warmDeficit } from '../../runner-pools/autoscaler/target.ts';
import { createdAt, isAlive, isIdle, isProvisioning, isWarm } from '../../runner-pools/pods/runner-pods.ts';
import { rollOf } from '../../runner-pools/pool/rollout.ts';
import {
  faultOf,
  isLinux,
  nodeFaults,
  nodesFor,
  type NodeFacts,
  type RunnerPoolObject,
} from '../../runner-pools/state/runner-pool-objects.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { keyOf } from '../../kube/client/kube-object.ts';
import type { GaugeMetric, Metrics, Sample } from '../../platform/metrics.ts';
import { autoscaleMetrics, poolMetrics } from '../../runner-pools/state/metric-definitions.ts';

export interface RunnerGauges {
  readonly isLeading: () => boolean;
  readonly now: () => number;
  readonly pools: () => readonly RunnerPoolObject[];
  readonly podsOf: (pool: string) => readonly Pod[];
  readonly nodes: () => readonly NodeFacts[] | undefined;
  readonly rollSince: (pool: RunnerPoolObject) => number | undefined;
  /** By pool; undefined without autoscaling. */
  readonly sums: (() => ReadonlyMap<string, LastSums>) | undefined;
}

interface Look {
  readonly pool: RunnerPoolObject;
  readonly alive: readonly Pod[];
  readonly now: number;
}

const phases = ['Pending', 'Running', 'Unknown'] as const;

/** Each gauge walks over the pools at scrape time. */
export function measureRunners(metrics: Metrics, gauges: RunnerGauges): void {
  const looks = (): readonly Look[] =>
    gauges.isLeading()
      ? gauges.pools().map((pool) => ({
          pool,
          alive: gauges.podsOf(pool.metadata.name).filter(isAlive),
          now: gauges.now(),
        }))
      : [];
  const measure = (metric: GaugeMetric<'pool'>, read: (look: Look) => number | undefined): void =>
    metrics.gauges(metric, () =>
      looks().flatMap((look) => {
        const value = read(look);
        return value === undefined ? [] : [{ labels: { pool: look.pool.metadata.name }, value }];
      }),
    );
  measure(poolMetrics.rolling, ({ pool, alive }) => rollOf(alive, pool).rolling);
  measure(poolMetrics.stale, ({ pool, alive }) => rollOf(alive, pool).stale.length);
  measure(poolMetrics.rollCap, ({ pool, alive }) => rollOf(alive, pool).cap);
  measure(poolMetrics.rollStalled, ({ pool, now }) => (now - (gauges.rollSince(pool) ?? now)) / 1000);
  measure(
    poolMetrics.idle,
    ({ pool, alive }) => alive.filter((pod) => isIdle(pod) && isWarm(pod, pool)).length,
  );
  measure(poolMetrics.provisioning, ({ pool, alive }) =>
    isLinux(pool) ? alive.filter(isProvisioning).length : 0,
  );
  measure(poolMetrics.oldestPending, oldestPending);
  metrics.gauges(poolMetrics.phases, () => looks().flatMap(phasesIn));
  measureNodes(metrics, gauges);
  measureAutoscaling(metrics, gauges);
}

/** Undefined for Linux, where Pods that wait for a job are also Pending. */
function oldestPending({ pool, alive, now }: Look): number | undefined {
  if (isLinux(pool)) return undefined;
  const ages = alive
    .filter(({ status }) => status?.phase === 'Pending')
    .map((pod) => (now - createdAt(pod)) / 1000);
  return Math.max(0, ...ages);
}

function phasesIn({ pool, alive }: Look): readonly Sample<'pool' | 'phase'>[] {
  return phases.map((phase) => ({
    labels: { pool: pool.metadata.name, phase },
    value: alive.filter(({ status }) => (status?.phase ?? 'Pending') === phase).length,
  }));
}

function measureNodes(metrics: Metrics, { isLeading, pools, nodes }: RunnerGauges): void {
  const fleets = () => {
    const known = isLeading() ? nodes() : undefined;
    if (known === undefined) return [];
    const byFleet = new Map(pools().map((pool) => [`${pool.spec.os} ${pool.spec.fleetSelector}`, pool]));
    return [...byFleet.values()].map((pool) => ({
      labels: { fleet_selector: pool.spec.fleetSelector, operating_system: pool.spec.os },
      faults: nodesFor(pool, known).map(faultOf),
    }));
  };
  metrics.gauges(poolMetrics.readyNodes, () =>
    fleets().map(({ labels, faults }) => ({
      labels,
      value: faults.filter((fault) => fault === undefined).length,
    })),
  );
  metrics.gauges(poolMetrics.filteredNodes, () =>
    fleets().flatMap(({ labels, faults }) =>
      nodeFaults.map((reason) => ({
        labels: { ...labels, reason },
        value: faults.filter((fault) => fault === reason).length,
      })),
    ),
  );
}

function measureAutoscaling(metrics: Metrics, { isLeading, pools, sums }: RunnerGauges): void {
  if (sums === undefined) return;
  const measure = (metric: GaugeMetric<'pool'>, read: (last: LastSums) => number): void =>
    metrics.gauges(metric, () =>
      pools().flatMap((pool) => {
        const last = isLeading() ? sums().get(keyOf(pool)) : undefined;
        return last === undefined ? [] : [{ labels: { pool: pool.metadata.name }, value: read(last) }];
      }),
    );
  measure(autoscaleMetrics.target, ({ target }) => target);
  measure(autoscaleMetrics.allocated, ({ allocated }) => allocated);
  measure(autoscaleMetrics.deficit, warmDeficit);
  measure(autoscaleMetrics.floor, ({ floor }) => floor);
  measure(autoscaleMetrics.claimed, ({ signals }) => signals.claimed);
  measure(autoscaleMetrics.occupied, ({ signals }) => signals.occupied);
  measure(autoscaleMetrics.queued, ({ signals }) => signals.queued);
}
