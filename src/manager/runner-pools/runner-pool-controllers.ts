/** Builds the controllers of runner pools with caches and queues, and triggers reconciles on changes. */
import { Autoscale } from '../../runner-pools/autoscaler/controller.ts';
import { PoolController } from '../../runner-pools/pool/controller.ts';
import type { Removing } from '../../runner-pools/pods/ports.ts';
import { PoolGarbageCollector } from '../../runner-pools/garbage-collector/controller.ts';
import { labels } from '../../api/names/labels.ts';
import type { FleetError } from '../../platform/errors/fleet-error.ts';
import { faultOf, type NodeFacts } from '../../runner-pools/state/runner-pool-objects.ts';
import type { Change } from '../../kube/informer/listeners.ts';
import type { Node, Pod } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { keyOf, type KubeObject } from '../../kube/client/kube-object.ts';
import { noMetrics } from '../../platform/metrics.ts';
import { poolMetrics } from '../../runner-pools/state/metric-definitions.ts';
import type { KeyedQueue } from '../../kube/work-queue.ts';
import { zoneClock } from '../../platform/zone-clock.ts';
import { queueFor, type QueueParts } from '../controller-queue.ts';
import { RunnerCaches } from './runner-caches.ts';
import { measureRunners } from './runner-metrics.ts';
import type { RunnersSettings } from './runner-settings.ts';

export interface RunnerFleetParts extends QueueParts {
  readonly client: KubeClient;
  readonly settings: RunnersSettings;
  readonly isLeading: () => boolean;
  readonly onTrouble: (error: FleetError) => void;
}

export class RunnerFleet {
  readonly #parts: RunnerFleetParts;
  readonly #caches: RunnerCaches;
  readonly #pools: PoolController;
  readonly #poolQueue: KeyedQueue;
  readonly #garbageCollectorQueue: KeyedQueue;
  readonly #autoscaleQueue: KeyedQueue | undefined;

  constructor(parts: RunnerFleetParts) {
    this.#parts = parts;
    const { client, ports, settings, onTrouble, isLeading } = parts;
    const { metrics = noMetrics, clock } = ports;
    const withRuntimeClasses = ports.runners?.signals !== undefined;
    this.#caches = new RunnerCaches({
      client,
      ports,
      namespace: settings.namespace,
      onTrouble,
      withRuntimeClasses,
    });
    this.#pools = this.#poolController();
    // One worker: the number of starting Pods is read before each creation.
    this.#poolQueue = queueFor(parts, this.#pools, 1);
    this.#garbageCollectorQueue = queueFor(parts, this.#garbageCollector(), 1);
    const autoscale = this.#autoscale();
    this.#autoscaleQueue = autoscale && queueFor(parts, autoscale, 1);
    measureRunners(metrics, {
      ...this.#common,
      isLeading,
      now: () => clock.now(),
      rollSince: (pool) => this.#pools.rollSince(pool),
      sums: autoscale && (() => autoscale.sums),
    });
  }

  start(): void {
    const { pools, pods, accounts, nodes } = this.#caches;
    pools.listen(({ key }) => this.#visit(key));
    pods.listen((change) => this.#podChanged(change));
    accounts.listen((change) => this.#accountChanged(change));
    nodes.listen((change) => this.#nodeChanged(change));
    this.#caches.start();
    void this.#caches.synced().then(() => this.visitAll());
  }

  /** Called when leadership starts and when the caches are synced. */
  visitAll(): void {
    const { pools, pods, accounts } = this.#caches;
    for (const pool of pools.all()) this.#visit(keyOf(pool));
    if (this.#isActing) for (const object of [...pods.all(), ...accounts.all()]) this.#visitPoolOf(object);
  }

  async stop(): Promise<void> {
    await Promise.all([
      this.#poolQueue.stop(),
      this.#garbageCollectorQueue.stop(),
      this.#autoscaleQueue?.stop(),
    ]);
    await this.#caches.stop();
  }

  #visit(key: string): void {
    if (!this.#isActing) return;
    this.#poolQueue.add(key);
    this.#garbageCollectorQueue.add(key);
    this.#autoscaleQueue?.add(key);
  }

  #podChanged({ object, before }: Change<Pod>): void {
    if (!this.#isActing) return;
    if (object === undefined && before !== undefined) this.#pools.gone(before);
    this.#visitPoolOf(object ?? before);
  }

  /** The deletion of an account leaves nothing to do. */
  #accountChanged({ object }: Change<KubeObject>): void {
    if (this.#isActing && object !== undefined) this.#visitPoolOf(object);
  }

  #visitPoolOf(object: KubeObject | undefined): void {
    const pool = object?.metadata.labels?.[labels.runnerPool.key];
    const namespace = object?.metadata.namespace;
    if (pool === undefined || namespace === undefined) return;
    for (const queue of [this.#poolQueue, this.#garbageCollectorQueue]) queue.add(`${namespace}/${pool}`);
  }

  /** Most changes of a Node are heartbeats. */
  #nodeChanged({ object, before }: Change<Node>): void {
    if (this.#isActing && factsOf(object) !== factsOf(before)) this.visitAll();
  }

  get #isActing(): boolean {
    return this.#parts.isLeading() && this.#caches.isSynced;
  }

  #poolController(): PoolController {
    const { client, ports, settings, mayAct } = this.#parts;
    const { pods } = this.#caches;
    const { metrics = noMetrics, random } = ports;
    return new PoolController({
      ...this.#common,
      ...this.#ofPods,
      ...settings,
      client,
      random,
      mayAct,
      wallClock: zoneClock,
      podOf: (uid) => pods.find('uid', uid)[0],
      blocked: (pool, reason) => metrics.counter(poolMetrics.blocked, { pool, reason }).add(),
      timedOut: (pool, reason) => metrics.counter(poolMetrics.timeouts, { pool, reason }).add(),
    });
  }

  #garbageCollector(): PoolGarbageCollector {
    const { client, mayAct } = this.#parts;
    return new PoolGarbageCollector({ ...this.#common, ...this.#ofPods, client, mayAct });
  }

  get #ofPods() {
    const { clock, runners, log } = this.#parts.ports;
    const removing: Removing = ({ metadata: { namespace, name, uid, resourceVersion } }, why) =>
      log(`removing runner Pod ${namespace}/${name} (${uid}, as of ${resourceVersion}): ${why}`);
    return {
      now: () => clock.now(),
      removing,
      accountsOf: (pool: string) => this.#caches.accounts.find('pool', pool),
      ...(runners?.reports !== undefined && { reports: runners.reports }),
      ...(runners?.logs !== undefined && { logs: runners.logs }),
    };
  }

  #autoscale(): Autoscale | undefined {
    const { client, ports } = this.#parts;
    const { runtimeClasses: classes } = this.#caches;
    const signals = ports.runners?.signals;
    if (signals === undefined || classes === undefined) return undefined;
    return new Autoscale({
      ...this.#common,
      client,
      signals,
      wallClock: zoneClock,
      now: () => ports.clock.now(),
      runtimeClasses: () => (classes.isSynced ? classes.all() : []),
    });
  }

  get #common() {
    const { pools, pods } = this.#caches;
    return {
      find: (key: string) => pools.get(key),
      pools: () => pools.all(),
      podsOf: (pool: string) => pods.find('pool', pool),
      nodes: () => this.#caches.knownNodes(),
    };
  }
}

/** The facts of a Node on which pool decisions depend. */
function factsOf(node: NodeFacts | undefined): string {
  if (node === undefined) return '';
  const { metadata, status } = node;
  return JSON.stringify([faultOf(node), metadata.labels, status?.allocatable?.['memory']]);
}
