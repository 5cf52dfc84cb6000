/** The informers of the host controllers. */
import { macSelector } from '../hosts/rebalancer/plan.ts';
import {
  controlPlanes,
  infraClusters,
  type ControlPlaneObject,
  type InfraClusterObject,
} from '../hosts/state/cluster-objects.ts';
import {
  machineUidsOn,
  macHosts,
  machines,
  type MacHostObject,
  type MachineObject,
} from '../hosts/state/objects.ts';
import type { FleetError } from '../platform/errors/fleet-error.ts';
import { Informer, type InformerScope } from '../kube/informer/informer.ts';
import { nodes, type Node } from '../kube/client/builtin-resources.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { KubeObject, Resource } from '../kube/client/kube-object.ts';
import type { CacheState } from '../platform/process/health-check.ts';
import { indexByHost } from './host-views.ts';
import type { FleetManagerPorts } from './manager-ports.ts';

type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

export interface CacheOptions {
  readonly onTrouble: (error: FleetError) => void;
  readonly withNodes: boolean;
}

export class FleetCaches {
  readonly hosts: Informer<MacHostObject>;
  readonly machines: Informer<MachineObject>;
  /** These kinds may be missing with older CRDs, so no other informer waits for them. */
  readonly infraClusters: Informer<InfraClusterObject>;
  readonly controlPlanes: Informer<ControlPlaneObject>;
  /** Nodes of Macs; only if a Deployment is spread over them. */
  readonly nodes: Informer<Node> | undefined;
  readonly #client: KubeClient;
  readonly #ports: FleetManagerPorts;
  readonly #onTrouble: (error: FleetError) => void;

  constructor(client: KubeClient, ports: FleetManagerPorts, { onTrouble, withNodes }: CacheOptions) {
    this.#client = client;
    this.#ports = ports;
    this.#onTrouble = onTrouble;
    this.hosts = this.#informerOf(macHosts, {
      name: ({ status }) => [status?.observed?.name ?? ''],
      uid: machineUidsOn,
    });
    this.machines = this.#informerOf(machines, {
      host: indexByHost,
      name: ({ metadata }) => [metadata.name],
      uid: ({ metadata }) => [metadata.uid],
    });
    this.infraClusters = this.#informerOf(infraClusters, {});
    this.controlPlanes = this.#informerOf(controlPlanes, {});
    this.nodes = withNodes ? this.#informerOf(nodes, {}, { labelSelector: macSelector }) : undefined;
  }

  start(): void {
    for (const cache of this.#all) cache.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((cache) => cache.stop()));
  }

  async synced(): Promise<void> {
    await Promise.all([this.hosts.synced(), this.machines.synced()]);
  }

  get isSynced(): boolean {
    return this.hosts.isSynced && this.machines.isSynced;
  }

  /** The caches without which no decision is made. */
  get needed(): readonly { readonly name: string; readonly cache: CacheState }[] {
    return [
      { name: 'hosts', cache: this.hosts },
      { name: 'machines', cache: this.machines },
    ];
  }

  get #all(): readonly Pick<Informer<KubeObject>, 'start' | 'stop'>[] {
    const { hosts, machines: ours, infraClusters: halves, controlPlanes: others, nodes: macs } = this;
    return [hosts, ours, halves, others, ...(macs === undefined ? [] : [macs])];
  }

  #informerOf<T extends KubeObject>(
    resource: Resource<T>,
    indexes: Indexes<T>,
    scope: InformerScope = {},
  ): Informer<T> {
    const { clock, random, crash } = this.#ports;
    return new Informer({
      client: this.#client,
      resource,
      clock,
      random,
      indexes,
      scope,
      onTrouble: this.#onTrouble,
      onListenerFault: crash,
    });
  }
}
