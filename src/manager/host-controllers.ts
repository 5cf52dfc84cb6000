/** Builds the host controllers with their ports and queues. */
import { ClusterController } from '../hosts/cluster/controller.ts';
import { Duplicates } from '../hosts/duplicates/controller.ts';
import { FleetKey, fleetOf } from '../hosts/ssh-key/controller.ts';
import { FleetSpread } from '../hosts/rebalancer/controller.ts';
import { HostController } from '../hosts/host/controller.ts';
import { Inventory } from '../hosts/inventory/controller.ts';
import { MachineController } from '../hosts/machine/controller.ts';
import { zonesOf } from '../hosts/machine/adoption/host-requirements.ts';
import { OrphanReclaimer } from '../hosts/orphans/controller.ts';
import { isPoolName } from '../api/names/host-names.ts';
import { Zone } from '../api/names/ids.ts';
import type { Duplicate } from '../hosts/state/duplicates.ts';
import { goneStatus } from '../hosts/state/host-record.ts';
import { recordOf, type MacHostObject } from '../hosts/state/objects.ts';
import type { Provider } from '../hosts/provider/port.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { fleetMetrics } from '../hosts/state/metric-definitions.ts';
import { noMetrics } from '../platform/metrics.ts';
import type { KeyedQueue } from '../kube/work-queue.ts';
import { ClusterApi } from './cluster-api.ts';
import { ClusterReadinessCache } from './cluster-readiness.ts';
import type { FleetCaches } from './host-caches.ts';
import { measureFleet } from './host-gauges.ts';
import type { FleetSettings } from './host-settings.ts';
import { FleetViews, hostsAbout } from './host-views.ts';
import { measuredProvider } from './measured-provider.ts';
import { ListedZones } from './listed-zones.ts';
import { warnTo } from './manager-ports.ts';
import { PendingHosts } from './pending-hosts.ts';
import { queueFor, type QueueParts } from './controller-queue.ts';
import { RecentServers } from './server-cache.ts';

export interface SetParts extends QueueParts {
  readonly settings: FleetSettings;
  readonly client: KubeClient;
  readonly caches: FleetCaches;
  /** Since when this replica leads; undefined if it does not. */
  readonly leadsSince: () => number | undefined;
}

/** Optional queues come last. */
export interface Queues {
  readonly inventory: KeyedQueue;
  readonly host: KeyedQueue;
  readonly machine: KeyedQueue;
  readonly orphanReclaimer: KeyedQueue;
  readonly cluster: KeyedQueue;
  readonly duplicates: KeyedQueue;
  readonly fleetSpread: KeyedQueue | undefined;
  readonly fleetKey: KeyedQueue | undefined;
}

const zonesAtOnce = 4;
const clustersAtOnce = 2;
const duplicatesKey = 'all hosts and machines';
export const reclaimKey = 'all hosts';
const repairsDefaultMax = 5;

export class ControllerSet {
  readonly queues: Queues;
  readonly #parts: SetParts;
  readonly #provider: Provider;
  readonly #views: FleetViews;
  readonly #servers: RecentServers;
  readonly #clusters: ClusterApi;
  readonly #zones: ListedZones;
  readonly #pending: PendingHosts;
  #stranded = 0;
  #duplicates: readonly Duplicate[] = [];

  constructor(parts: SetParts) {
    const { settings, client, caches, ports } = parts;
    const { metrics = noMetrics, clock } = ports;
    this.#parts = parts;
    this.#provider = measuredProvider(ports.provider, { metrics, clock });
    this.#views = new FleetViews(client, caches, settings);
    this.#servers = new RecentServers(this.#provider, () => clock.now());
    this.#clusters = new ClusterApi(client, () => clock.now());
    this.#zones = new ListedZones(
      settings.zones,
      {
        findHost: (id) => caches.hosts.get(id),
        isNamed: (zone) => isNamedIn(caches, zone),
        hasHost: (zone) => hasHostIn(caches, zone),
      },
      settings.inventoryIntervalMs,
    );
    this.#pending = new PendingHosts({
      hosts: () => caches.hosts.all(),
      inventories: (zone) => this.#zones.countOf(zone),
      now: () => clock.now(),
    });
    this.queues = this.#makeQueues();
    measureFleet(metrics, {
      zones: () => this.#zones.kept,
      hosts: () => caches.hosts.all(),
      machines: () => caches.machines.all(),
      stranded: () => this.#stranded,
      duplicates: () => this.#duplicates,
      listedAt: (zone) => this.#zones.listedAt(zone),
      leadsSince: parts.leadsSince,
      prices: settings.hostPrices ?? new Map(),
      now: () => clock.now(),
    });
  }

  /** Hosts are listed in every zone that a machine or a host names, also beyond the configured zones. */
  keepZones(zones: readonly string[]): void {
    for (const zone of zones)
      if (Zone.safeParse(zone).success && this.#zones.keep(zone)) this.queues.inventory.add(zone);
  }

  /** A MacHost was deleted or created again. Nothing is adopted in its zone until that zone is listed again. */
  hostLost({ status }: MacHostObject): void {
    const { status: text, zone } = status?.observed ?? {};
    if (text === goneStatus) return;
    const zones = zone === undefined ? this.#zones.kept : [zone];
    for (const one of zones) {
      this.#zones.lose(one, this.#parts.ports.clock.now());
      this.queues.inventory.add(one);
    }
  }

  async stop(): Promise<void> {
    const all = Object.values(this.queues).filter((queue) => queue !== undefined);
    await Promise.all(all.map((queue) => queue.stop()));
  }

  #makeQueues(): Queues {
    const { workers } = this.#parts.settings;
    return {
      inventory: queueFor(this.#parts, this.#inventory(), zonesAtOnce),
      host: queueFor(this.#parts, this.#hostController(), workers),
      machine: queueFor(this.#parts, this.#machineController(), workers),
      orphanReclaimer: queueFor(this.#parts, this.#orphanReclaimer(), 1),
      cluster: queueFor(this.#parts, this.#clusterController(), clustersAtOnce),
      duplicates: queueFor(this.#parts, this.#duplicatesController(), 1),
      fleetSpread: this.#fleetSpreadQueue(),
      fleetKey: this.#fleetKeyQueue(),
    };
  }

  #inventory(): Inventory {
    const {
      claimPrefix,
      inventoryIntervalMs: intervalMs,
      hostPrices: prices = new Map(),
    } = this.#parts.settings;
    return new Inventory({
      ...this.#common,
      claimPrefix,
      intervalMs,
      prices,
      isKept: (zone) => this.#zones.isKept(zone),
      zones: () => this.#zones.kept,
      isSpokenFor: (server) => this.#views.isSpokenFor(server),
      readSince: (id, at) => this.#servers.readSince(id, at),
      listed: (zone, listing) => {
        this.queues.duplicates.add(duplicatesKey);
        const counts = this.#zones.note(zone, listing);
        if (counts) this.#pending.count();
        if (counts) this.queues.orphanReclaimer.add(reclaimKey);
        return counts;
      },
      refused: (zone, why) => this.#refused(zone, why),
    });
  }

  #refused(zone: string, why: string): number | undefined {
    const { ports } = this.#parts;
    const refused = this.#zones.refuse(zone, { why, now: ports.clock.now() });
    if (refused?.hasChanged === true)
      warnTo(ports)('failed to list a zone that the provider does not know', {
        zone,
        error: why,
        toDo: 'correct spec.zone of the machines there, or --orphan-reclaim-zones',
      });
    return refused?.askAgainAt;
  }

  #hostController(): HostController {
    const { caches, mayAct } = this.#parts;
    return new HostController({
      ...this.#common,
      find: (id) => caches.hosts.get(id),
      view: () => this.#views.cached(),
      freshView: (host, which) =>
        which === 'all-machines' ? this.#views.complete() : this.#views.fresh(host, recordOf(host)),
      mayAct,
      seen: (server) => this.#servers.note(server),
      touched: (server) => this.#servers.touch(server),
    });
  }

  #machineController(): MachineController {
    const { settings, caches, ports } = this.#parts;
    const { defaultPoolPrefix, claimPrefix, allowedPoolPrefixes, secretsNamespace } = settings;
    const clusterReadiness = new ClusterReadinessCache(this.#clusters, () => ports.clock.now());
    return new MachineController({
      ...this.#common,
      defaultPoolPrefix,
      claimPrefix,
      allowedPoolPrefixes,
      secretsNamespace,
      server: (address) => this.#servers.get(address),
      find: (key) => caches.machines.get(key),
      findHost: (id) => caches.hosts.get(id),
      hostsAbout: (machine) => hostsAbout(caches.hosts, machine),
      view: () => this.#views.cached(),
      pendingAtRest: () => this.#pending.atRest(),
      meaning: (id) => caches.machines.find('host', id),
      called: (name) => caches.machines.find('name', name),
      isListed: (zone) => this.#zones.isKnown(zone),
      clusterReadiness: (machine, how) => clusterReadiness.of(machine, how),
    });
  }

  #orphanReclaimer(): OrphanReclaimer {
    const { settings, ports } = this.#parts;
    const { claimPrefix, reclaimsMax, sweepIntervalMs, defaultPoolPrefix } = settings;
    const { metrics = noMetrics } = ports;
    const reclaimed = metrics.counter(fleetMetrics.reclaimed, {});
    return new OrphanReclaimer({
      ...this.#common,
      claimPrefix,
      reclaimsMax,
      view: () => this.#views.cached(),
      completeView: () => this.#views.complete(),
      inventories: (zone) => this.#zones.countOf(zone),
      intervalMs: sweepIntervalMs,
      poolPrefix: defaultPoolPrefix,
      counted: (hosts) => void (this.#stranded = hosts.length),
      reclaimed: () => reclaimed.add(),
    });
  }

  #clusterController(): ClusterController {
    const { caches } = this.#parts;
    return new ClusterController({
      ...this.#common,
      infrastructure: (key) => caches.infraClusters.get(key),
      controlPlane: (key) => caches.controlPlanes.get(key),
      findCluster: (place) => this.#clusters.find(place),
    });
  }

  #duplicatesController(): Duplicates {
    const { caches, settings } = this.#parts;
    return new Duplicates({
      ...this.#common,
      machines: () => caches.machines.all(),
      isPoolName: (name) => this.#views.cached().poolPrefixes.some((prefix) => isPoolName(name, prefix)),
      repairsMax: settings.duplicateRepairsMax ?? repairsDefaultMax,
      counted: (confirmed) => void (this.#duplicates = confirmed),
    });
  }

  #fleetSpreadQueue(): KeyedQueue | undefined {
    const { caches, settings } = this.#parts;
    const { nodes } = caches;
    if (settings.fleetSpread === undefined || nodes === undefined) return undefined;
    const known = () => (nodes.isSynced ? nodes.all() : undefined);
    const controller = new FleetSpread({ ...this.#common, ...settings.fleetSpread, nodes: known });
    return queueFor(this.#parts, controller, 1);
  }

  #fleetKeyQueue(): KeyedQueue | undefined {
    const { caches, settings, ports } = this.#parts;
    if (ports.makeSshKey === undefined) return undefined;
    const controller = new FleetKey({
      ...this.#common,
      sshKeys: this.#provider.sshKeys,
      makeKey: ports.makeSshKey,
      machinesOf: (fleet) => caches.machines.all().filter((machine) => fleetOf(machine) === fleet),
      namespace: settings.secretsNamespace,
    });
    return queueFor(this.#parts, controller, 1);
  }

  get #common() {
    const { ports, client, caches } = this.#parts;
    const { clock } = ports;
    return { provider: this.#provider, client, now: () => clock.now(), hosts: () => caches.hosts.all() };
  }
}

/** By a machine, or by a host that was seen there. */
function isNamedIn(caches: FleetCaches, zone: string): boolean {
  return caches.machines.all().some((machine) => zonesOf(machine).includes(zone)) || hasHostIn(caches, zone);
}

function hasHostIn({ hosts }: FleetCaches, zone: string): boolean {
  return hosts.all().some(({ status }) => status?.observed?.zone === zone);
}
