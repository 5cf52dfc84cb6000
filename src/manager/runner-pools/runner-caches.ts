/**
 * The informers of the runner pool controllers. Host controllers do not wait for these kinds, which may be missing.
 */
import { labels } from '../../api/names/labels.ts';
import type { FleetError } from '../../platform/errors/fleet-error.ts';
import { runnerPools, type RunnerPoolObject } from '../../runner-pools/state/runner-pool-objects.ts';
import { Informer, type InformerScope } from '../../kube/informer/informer.ts';
import {
  nodes,
  pods,
  runtimeClasses,
  serviceAccounts,
  type Node,
  type Pod,
  type RuntimeClass,
  type ServiceAccount,
} from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject, Resource } from '../../kube/client/kube-object.ts';
import type { FleetManagerPorts } from '../manager-ports.ts';

export interface RunnerCacheParts {
  readonly client: KubeClient;
  readonly ports: FleetManagerPorts;
  readonly namespace: string;
  readonly onTrouble: (error: FleetError) => void;
  /** RuntimeClasses are needed only for pools with autoscaling. */
  readonly withRuntimeClasses: boolean;
}

export class RunnerCaches {
  readonly pools: Informer<RunnerPoolObject>;
  /** Indexed by `pool` and by `uid`. */
  readonly pods: Informer<Pod>;
  readonly accounts: Informer<ServiceAccount>;
  readonly nodes: Informer<Node>;
  readonly runtimeClasses: Informer<RuntimeClass> | undefined;
  readonly #parts: RunnerCacheParts;

  constructor(parts: RunnerCacheParts) {
    this.#parts = parts;
    const { namespace, withRuntimeClasses } = parts;
    const ofPool = ({ metadata }: KubeObject): readonly string[] => [
      metadata.labels?.[labels.runnerPool.key] ?? '',
    ];
    this.pools = this.#informerOf(runnerPools, { namespace }, {});
    this.pods = this.#informerOf(
      pods,
      { namespace, labelSelector: `${labels.runner.key}=true` },
      { pool: ofPool, uid: ({ metadata }) => [metadata.uid] },
    );
    this.accounts = this.#informerOf(
      serviceAccounts,
      { namespace, labelSelector: labels.runnerPool.key },
      { pool: ofPool },
    );
    this.nodes = this.#informerOf(nodes, {}, {});
    this.runtimeClasses = withRuntimeClasses ? this.#informerOf(runtimeClasses, {}, {}) : undefined;
  }

  start(): void {
    for (const cache of this.#all) cache.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((cache) => cache.stop()));
  }

  /** The caches without which no Pod is created or removed. */
  async synced(): Promise<void> {
    await Promise.all([this.pools.synced(), this.pods.synced(), this.accounts.synced()]);
  }

  get isSynced(): boolean {
    return this.pools.isSynced && this.pods.isSynced && this.accounts.isSynced;
  }

  /** Undefined until all Nodes are known. */
  knownNodes(): readonly Node[] | undefined {
    return this.nodes.isSynced ? this.nodes.all() : undefined;
  }

  get #all(): readonly Pick<Informer<KubeObject>, 'start' | 'stop'>[] {
    const { pools, pods: runners, accounts, nodes: hosts, runtimeClasses: classes } = this;
    return [pools, runners, accounts, hosts, ...(classes === undefined ? [] : [classes])];
  }

  #informerOf<T extends KubeObject>(
    resource: Resource<T>,
    scope: InformerScope,
    indexes: Indexes<T>,
  ): Informer<T> {
    const { client, ports, onTrouble } = this.#parts;
    const { clock, random, crash } = ports;
    return new Informer({
      client,
      resource,
      clock,
      random,
      indexes,
      scope,
      onTrouble,
      onListenerFault: crash,
    });
  }
}

type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;
