/** The RunnerPools of the namespace, from an informer, as routing and serving need them. */
import { runnerPool, type RunnerPool } from '../../api/kinds/runner-pool.ts';
import type { FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { Informer } from '../../kube/informer/informer.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject, Resource } from '../../kube/client/kube-object.ts';
import { jobMetrics } from '../observe/metric-definitions.ts';
import type { Metrics, Sample } from '../../platform/metrics.ts';
import type { Random } from '../../platform/random.ts';
import type { PoolFacts } from './assigner.ts';
import type { Shape } from '../store/rows.ts';
import type { PoolRoute } from '../webhooks/route.ts';

export type RunnerPoolObject = KubeObject & Pick<RunnerPool, 'spec' | 'status'>;

export const runnerPools: Resource<RunnerPoolObject> = {
  group: runnerPool.group,
  version: runnerPool.version,
  plural: runnerPool.plural,
  kind: runnerPool.kind,
  namespaced: true,
};

export interface KnownPool {
  readonly name: string;
  readonly isBeingDeleted: boolean;
}

export interface RunnerPoolListerPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly onTrouble: (error: FleetError) => void;
  readonly onFault: (error: unknown) => void;
}

export class RunnerPoolLister {
  readonly informer: Informer<RunnerPoolObject>;
  readonly #namespace: string;

  constructor({ client, clock, random, namespace, metrics, onTrouble, onFault }: RunnerPoolListerPorts) {
    this.#namespace = namespace;
    this.informer = new Informer({
      client,
      clock,
      random,
      resource: runnerPools,
      scope: { namespace },
      metrics,
      onTrouble,
      onListenerFault: onFault,
    });
  }

  /** Every pool. Undefined until the informer is synced. */
  known(): readonly KnownPool[] | undefined {
    if (!this.informer.isSynced) return undefined;
    return this.informer.all().map(({ metadata }) => ({
      name: metadata.name,
      isBeingDeleted: metadata.deletionTimestamp !== undefined,
    }));
  }

  /** Undefined until the informer is synced. Pools being deleted take no new jobs. */
  routes(): readonly PoolRoute[] | undefined {
    if (!this.informer.isSynced) return undefined;
    return this.informer
      .all()
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec }) => ({
        name: metadata.name,
        dispatchLabel: spec.dispatchLabel,
        runnerLabels: spec.runnerLabels,
        shape: shapeOf(spec),
      }));
  }

  /** Registers gauges that read the informer, so a deleted pool disappears from the metrics. */
  measure(metrics: Metrics): void {
    const each = (value: (pool: RunnerPoolObject) => number) => (): readonly Sample<'fleet'>[] =>
      this.informer.all().map((pool) => ({ labels: { fleet: pool.metadata.name }, value: value(pool) }));
    metrics.gauges(
      jobMetrics.desired,
      each(({ spec }) => spec.replicas),
    );
    metrics.gauges(
      jobMetrics.observed,
      each(({ status }) => status?.observedReplicas ?? 0),
    );
    metrics.gauges(
      jobMetrics.max,
      each(({ spec }) => maxOf(spec)),
    );
  }

  facts(name: string): PoolFacts | undefined {
    const spec = this.informer.get(`${this.#namespace}/${name}`)?.spec;
    return spec && { image: spec.image, runnerLabels: spec.runnerLabels };
  }
}

/** The size of a Pod of the pool, in whole cores and gigabytes. */
function shapeOf({ os, podCPUMilli, podMemoryMB }: RunnerPool['spec']): Shape {
  return {
    platform: os === 'linux' ? 'linux' : 'macos',
    vcpus: Math.max(1, Math.ceil(podCPUMilli / 1000)),
    memoryGb: Math.max(1, Math.ceil(podMemoryMB / 1024)),
  };
}

function maxOf({ replicas, autoscaling: { enabled, maxReplicas } }: RunnerPool['spec']): number {
  return enabled && maxReplicas > 0 ? maxReplicas : replicas;
}
