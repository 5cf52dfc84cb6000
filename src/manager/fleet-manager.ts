/**
 * The controllers of hosts put together: two caches, a queue for each controller, and a lease. Only the replica that
 * leads visits anything; the others keep their caches warm.
 */
import { HostController } from '../controllers/host/host.ts';
import { Inventory } from '../controllers/inventory/inventory.ts';
import { MachineController } from '../controllers/machine/machine.ts';
import { Sweep } from '../controllers/sweep/sweep.ts';
import type { FleetError } from '../errors/fleet-error.ts';
import { hostsOf, macHosts, machines, type MacHostObject, type MachineObject } from '../fleet/objects.ts';
import type { Provider } from '../provider/port.ts';
import type { Clock } from '../runtime/clock.ts';
import { visitWith, type Controller, type HarnessPorts } from '../runtime/controller/controller.ts';
import { EventRecorder } from '../runtime/controller/events.ts';
import { Notebook } from '../runtime/controller/notebook.ts';
import { Informer } from '../runtime/informer/informer.ts';
import { KubeClient } from '../runtime/kube/client.ts';
import { keyOf } from '../runtime/kube/kube-object.ts';
import type { KubeTransport } from '../runtime/kube/transport.ts';
import { LeaderLease } from '../runtime/lease/leader-lease.ts';
import { fleetMetrics } from '../runtime/metric-catalogue.ts';
import { noMetrics, type Metrics } from '../runtime/metrics.ts';
import { KeyedQueue } from '../runtime/queue.ts';
import { RateLimit } from '../runtime/rate-limit.ts';
import type { Random } from '../runtime/random.ts';
import type { CacheState } from '../runtime/process/check.ts';
import { ClusterGate } from './cluster-gate.ts';
import { measureFleet } from './fleet-metrics.ts';
import { FleetViews, indexByHost } from './fleet-views.ts';
import { RecentServers } from './recent-servers.ts';
import { usualKubeRequests, type FleetSettings } from './fleet-settings.ts';

export interface FleetManagerPorts {
  readonly transport: KubeTransport;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly random: Random;
  /** Of this run of this process. */
  readonly identity: string;
  readonly log: (text: string) => void;
  /** The lease is lost: whatever is in memory is worth nothing any more. */
  readonly exit: (why: string) => void;
  readonly crash: (error: unknown) => void;
  readonly metrics?: Metrics;
}

const sweepKey = 'all hosts';
const zonesAtOnce = 4;

type ClientLimits = Readonly<{ deadlineMs: number; perSecond: number; burst?: number }>;

type Queues = Readonly<Record<'inventory' | 'host' | 'machine' | 'sweep', KeyedQueue>>;

export class FleetManager {
  readonly #settings: FleetSettings;
  readonly #ports: FleetManagerPorts;
  readonly #client: KubeClient;
  readonly #lease: LeaderLease;
  readonly #events: EventRecorder;
  readonly #hosts: Informer<MacHostObject>;
  readonly #machines: Informer<MachineObject>;
  readonly #views: FleetViews;
  readonly #queues: Queues;
  readonly #servers: RecentServers;
  /** By zone: how many complete listings there were, and when the last was. */
  readonly #inventories = new Map<string, number>();
  readonly #listedAt = new Map<string, number>();
  #stranded = 0;
  #isLeading = false;
  readonly notebook: Notebook;

  constructor(settings: FleetSettings, ports: FleetManagerPorts) {
    this.#settings = settings;
    this.#ports = ports;
    const { clock, random } = ports;
    this.notebook = new Notebook(() => clock.now());
    this.#client = this.#clientWith({ deadlineMs: 10_000, ...(settings.kubeRequests ?? usualKubeRequests) });
    this.#servers = new RecentServers(ports.provider, () => clock.now());
    this.#events = new EventRecorder({
      client: this.#clientWith({ deadlineMs: 10_000, perSecond: 5 }),
      clock,
      random,
      component: 'muster-manager',
      onFailure: this.#trouble,
    });
    this.#lease = this.#makeLease();
    this.#hosts = this.#informerOf(macHosts, {});
    this.#machines = this.#informerOf(machines, { host: indexByHost });
    this.#views = new FleetViews(this.#client, this.#machines, settings);
    this.#queues = this.#makeQueues();
    measureFleet(ports.metrics ?? noMetrics, {
      zones: settings.zones,
      hosts: () => this.#hosts.all(),
      stranded: () => this.#stranded,
      listedAt: (zone) => this.#listedAt.get(zone),
      now: () => clock.now(),
    });
  }

  start(): void {
    this.#lease.start();
    this.#hosts.listen(({ key }) => this.#hostChanged(key));
    this.#machines.listen(({ key, object, before }) => this.#machineChanged(key, [object, before]));
    this.#hosts.start();
    this.#machines.start();
    void Promise.all([this.#hosts.synced(), this.#machines.synced()]).then(() => this.#lead());
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#queues).map((queue) => queue.stop()));
    await this.#events.flush();
    await Promise.all([this.#hosts.stop(), this.#machines.stop()]);
    await this.#lease.stop();
  }

  get isSynced(): boolean {
    return this.#hosts.isSynced && this.#machines.isSynced;
  }

  get caches(): readonly { readonly name: string; readonly cache: CacheState }[] {
    return [
      { name: 'hosts', cache: this.#hosts },
      { name: 'machines', cache: this.#machines },
    ];
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** Once, when it may act and knows what there is. */
  #lead(): void {
    if (this.#isLeading || !this.isSynced || !this.#lease.mayAct()) return;
    this.#isLeading = true;
    this.#ports.log('leads');
    for (const zone of this.#settings.zones) this.#queues.inventory.add(zone);
    for (const { metadata } of this.#hosts.all()) this.#queues.host.add(metadata.name);
    for (const machine of this.#machines.all()) this.#queues.machine.add(keyOf(machine));
    this.#queues.sweep.add(sweepKey);
  }

  #hostChanged(id: string): void {
    if (!this.#isLeading) return;
    this.#queues.host.add(id);
    // Who waits for a host waits without one, and for one that nobody has; whoever means this one wants to know as well.
    const about = this.#hosts.get(id)?.spec?.claim === undefined ? [id, ''] : [id];
    for (const machine of about.flatMap((host) => this.#machines.find('host', host)))
      this.#queues.machine.add(keyOf(machine));
  }

  #machineChanged(key: string, versions: readonly (MachineObject | undefined)[]): void {
    if (!this.#isLeading) return;
    this.#queues.machine.add(key);
    for (const machine of versions)
      if (machine !== undefined) for (const id of hostsOf(machine)) this.#queues.host.add(id);
  }

  #makeQueues(): Queues {
    const { workers } = this.#settings;
    return {
      inventory: this.#queueFor(this.#inventory(), zonesAtOnce),
      host: this.#queueFor(this.#hostController(), workers),
      machine: this.#queueFor(this.#machineController(), workers),
      sweep: this.#queueFor(this.#sweep(), 1),
    };
  }

  #inventory(): Inventory {
    const { claimPrefix, inventoryIntervalMs: intervalMs } = this.#settings;
    return new Inventory({
      ...this.#common,
      claimPrefix,
      intervalMs,
      isSpokenFor: (server) => this.#views.isSpokenFor(server),
      listed: (zone, at) => {
        this.#inventories.set(zone, (this.#inventories.get(zone) ?? 0) + 1);
        this.#listedAt.set(zone, at);
      },
    });
  }

  #hostController(): HostController {
    return new HostController({
      ...this.#common,
      find: (id) => this.#hosts.get(id),
      view: () => this.#views.cached(),
      freshView: (host) => this.#views.fresh(host),
      mayAct: () => this.#lease.mayAct(),
      seen: (server) => this.#servers.note(server),
    });
  }

  #machineController(): MachineController {
    const { defaultPoolPrefix, secretsNamespace } = this.#settings;
    const gate = new ClusterGate(this.#client, () => this.#ports.clock.now());
    return new MachineController({
      ...this.#common,
      defaultPoolPrefix,
      secretsNamespace,
      server: (address) => this.#servers.get(address),
      find: (key) => this.#machines.get(key),
      findHost: (id) => this.#hosts.get(id),
      meaning: (id) => this.#machines.find('host', id),
      gate: (machine, how) => gate.of(machine, how),
    });
  }

  #sweep(): Sweep {
    const { claimPrefix, reclaimsMax, sweepIntervalMs, defaultPoolPrefix } = this.#settings;
    const { metrics = noMetrics } = this.#ports;
    const reclaimed = metrics.counter(fleetMetrics.reclaimed, {});
    return new Sweep({
      ...this.#common,
      claimPrefix,
      reclaimsMax,
      view: () => this.#views.cached(),
      inventories: (zone) => this.#inventories.get(zone) ?? 0,
      intervalMs: sweepIntervalMs,
      poolPrefix: defaultPoolPrefix,
      counted: (hosts) => void (this.#stranded = hosts.length),
      reclaimed: () => reclaimed.add(),
    });
  }

  get #common() {
    const { provider, clock } = this.#ports;
    return { provider, client: this.#client, now: () => clock.now(), hosts: () => this.#hosts.all() };
  }

  #queueFor<Observed, Action>(controller: Controller<Observed, Action>, workers: number): KeyedQueue {
    const { clock, random, metrics = noMetrics, crash } = this.#ports;
    const harness: HarnessPorts = {
      mayMutate: true,
      mayAct: () => this.#lease.mayAct(),
      notebook: this.notebook,
      now: () => clock.now(),
      record: (happening) => this.#events.record(happening),
      onFailure: ({ controller: name, during, key, error }) =>
        this.#ports.log(`${name} ${during} ${key}: ${error.reason}: ${error.message}`),
      metrics,
    };
    const visit = visitWith(controller, harness);
    const backoff = { firstMs: 1000, maxMs: 60_000 };
    const { name } = controller;
    return new KeyedQueue({ clock, random, workers, backoff, name, metrics }, async (key) => {
      try {
        return await visit(key);
      } catch (error) {
        crash(error);
        return 'done';
      }
    });
  }

  #clientWith({ deadlineMs, perSecond, burst = perSecond * 2 }: ClientLimits): KubeClient {
    const { transport, clock, metrics = noMetrics } = this.#ports;
    const limit = new RateLimit(clock, { perSecond, burst });
    return new KubeClient({ transport, clock, limit, fieldManager: 'muster-manager', deadlineMs, metrics });
  }

  #informerOf<T extends MacHostObject | MachineObject>(
    resource: ConstructorParameters<typeof Informer<T>>[0]['resource'],
    indexes: Readonly<Record<string, (object: T) => readonly string[]>>,
  ): Informer<T> {
    const { clock, random, crash } = this.#ports;
    const client = this.#client;
    return new Informer({
      client,
      resource,
      clock,
      random,
      indexes,
      onTrouble: this.#trouble,
      onListenerFault: crash,
    });
  }

  #makeLease(): LeaderLease {
    const { clock, random, identity, exit, metrics = noMetrics } = this.#ports;
    const { leaseNamespace: namespace, leaseName: name, lease } = this.#settings;
    return new LeaderLease({
      client: this.#clientWith({ deadlineMs: 3000, perSecond: 5 }),
      clock,
      random,
      namespace,
      name,
      identity,
      metrics,
      ...lease,
      onTrouble: this.#trouble,
      onActing: () => this.#lead(),
      onLost: () => exit('the lease is lost'),
    });
  }

  readonly #trouble = ({ reason, message }: FleetError): void => this.#ports.log(`${reason}: ${message}`);
}
