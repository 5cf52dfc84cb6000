/**
 * Builds the controllers with caches, queues and the lease. Only the leader reconciles; the other replicas keep their
 * caches warm.
 */
import { clusterKey } from '../hosts/cluster/controller.ts';
import type { Half } from '../hosts/cluster/plan.ts';
import { fleetOf } from '../hosts/ssh-key/controller.ts';
import { factsOf } from '../hosts/rebalancer/plan.ts';
import { zonesOf } from '../hosts/machine/adoption/host-requirements.ts';
import type { FleetError } from '../platform/errors/fleet-error.ts';
import { machineUidsOn, type MacHostObject, type MachineObject } from '../hosts/state/objects.ts';
import { hostIdsIn } from '../hosts/state/ownership.ts';
import { EventRecorder } from '../kube/reconciler/events.ts';
import { DecisionLog } from '../kube/reconciler/decision-log.ts';
import type { Change } from '../kube/informer/listeners.ts';
import type { Node } from '../kube/client/builtin-resources.ts';
import { keyOf } from '../kube/client/kube-object.ts';
import { LeaderLease } from '../kube/lease/leader-lease.ts';
import { RepeatedFailures } from '../kube/lease/repeated-failures.ts';
import { noMetrics } from '../platform/metrics.ts';
import type { CacheState } from '../platform/process/health-check.ts';
import { ControllerSet, reclaimKey, type Queues } from './host-controllers.ts';
import { FleetCaches } from './host-caches.ts';
import { hostsAbout } from './host-views.ts';
import { usualKubeRequests, type FleetSettings } from './host-settings.ts';
import { clientWith, warnTo, type FleetManagerPorts } from './manager-ports.ts';
import { RunnerFleet } from './runner-pools/runner-pool-controllers.ts';
import type { KubeClient } from '../kube/client/client.ts';

const spreadKey = 'all Macs';

export class FleetManager {
  readonly #settings: FleetSettings;
  readonly #ports: FleetManagerPorts;
  readonly #lease: LeaderLease;
  readonly #leaseFailures: RepeatedFailures;
  readonly #events: EventRecorder;
  readonly #caches: FleetCaches;
  readonly #controllers: ControllerSet;
  readonly #runners: RunnerFleet | undefined;
  #leadsSince: number | undefined;
  readonly decisions: DecisionLog;

  constructor(settings: FleetSettings, ports: FleetManagerPorts) {
    this.#settings = settings;
    this.#ports = ports;
    const { clock, random } = ports;
    this.decisions = new DecisionLog(() => clock.now());
    const client = clientWith(ports, { deadlineMs: 10_000, ...(settings.kubeRequests ?? usualKubeRequests) });
    this.#events = new EventRecorder({
      client: clientWith(ports, { deadlineMs: 10_000, perSecond: 5 }),
      clock,
      random,
      component: 'muster-manager',
      onFailure: this.#trouble,
    });
    this.#leaseFailures = new RepeatedFailures(clock);
    this.#lease = this.#makeLease();
    this.#caches = new FleetCaches(client, ports, {
      onTrouble: this.#trouble,
      withNodes: settings.fleetSpread !== undefined,
    });
    this.#controllers = new ControllerSet({
      settings,
      client,
      caches: this.#caches,
      ports,
      decisions: this.decisions,
      events: this.#events,
      mayAct: () => this.#lease.mayAct(),
      leadsSince: () => this.#leadsSince,
    });
    this.#runners = this.#makeRunners(client);
  }

  start(): void {
    const { hosts, machines, infraClusters, controlPlanes, nodes } = this.#caches;
    this.#lease.start();
    hosts.listen((change) => this.#hostChanged(change));
    machines.listen((change) => this.#machineChanged(change));
    infraClusters.listen(({ key }) => this.#clusterChanged('infrastructure', key));
    controlPlanes.listen(({ key }) => this.#clusterChanged('control-plane', key));
    nodes?.listen((change) => this.#macChanged(change));
    this.#caches.start();
    this.#runners?.start();
    void this.#caches.synced().then(() => this.#lead());
  }

  async stop(): Promise<void> {
    await this.#controllers.stop();
    await this.#runners?.stop();
    await this.#events.flush();
    await this.#caches.stop();
    await this.#lease.stop();
  }

  get isSynced(): boolean {
    return this.#caches.isSynced;
  }

  get caches(): readonly { readonly name: string; readonly cache: CacheState }[] {
    return this.#caches.needed;
  }

  get isLeading(): boolean {
    return this.#leadsSince !== undefined;
  }

  /** For callers about to do something that cannot be undone. */
  mayAct(): boolean {
    return this.#lease.mayAct();
  }

  /** Starts once, when the lease is held and the caches are synced. */
  #lead(): void {
    if (this.isLeading || !this.isSynced || !this.#lease.mayAct()) return;
    this.#leadsSince = this.#ports.clock.now();
    this.#ports.log('started leading');
    this.#addAll(this.#controllers.queues);
    this.#runners?.visitAll();
  }

  #addAll(queues: Queues): void {
    const { hosts, machines, infraClusters, controlPlanes } = this.#caches;
    for (const zone of this.#settings.zones) queues.inventory.add(zone);
    // A host without a machine must still be seen at the end of its wipe.
    this.#controllers.keepZones(hosts.all().flatMap(({ status }) => status?.observed?.zone ?? []));
    for (const { metadata } of hosts.all()) queues.host.add(metadata.name);
    for (const machine of machines.all()) {
      this.#controllers.keepZones(zonesOf(machine));
      queues.machine.add(keyOf(machine));
      queues.fleetKey?.add(fleetOf(machine));
    }
    for (const half of infraClusters.all()) this.#clusterChanged('infrastructure', keyOf(half));
    for (const half of controlPlanes.all()) this.#clusterChanged('control-plane', keyOf(half));
    queues.orphanReclaimer.add(reclaimKey);
    queues.fleetSpread?.add(spreadKey);
  }

  #hostChanged({ key: id, object, before }: Change<MacHostObject>): void {
    if (!this.isLeading) return;
    const { queues } = this.#controllers;
    const { machines } = this.#caches;
    if (before !== undefined && before.metadata.uid !== object?.metadata.uid)
      this.#controllers.hostLost(before);
    queues.host.add(id);
    // Machines without a host wait for any free host; machines that name this host are concerned, too.
    const about = object?.spec?.claim === undefined ? [id, ''] : [id];
    const names = [object, before].flatMap((host) => host?.status?.observed?.name ?? []);
    const uids = [object, before].flatMap((host) => (host === undefined ? [] : machineUidsOn(host)));
    const concerned = [
      ...about.flatMap((host) => machines.find('host', host)),
      ...names.flatMap((name) => machines.find('name', name)),
      ...uids.flatMap((uid) => machines.find('uid', uid)),
    ];
    for (const machine of new Set(concerned)) queues.machine.add(keyOf(machine));
  }

  #machineChanged({ key, object, before }: Change<MachineObject>): void {
    if (!this.isLeading) return;
    const { queues } = this.#controllers;
    if (object !== undefined) this.#controllers.keepZones(zonesOf(object));
    queues.machine.add(key);
    for (const machine of [object, before])
      if (machine !== undefined) for (const id of this.#hostsWith(machine)) queues.host.add(id);
    // A visit asks the provider, so only a new fleet name counts.
    if (object !== undefined && (before === undefined || fleetOf(before) !== fleetOf(object)))
      queues.fleetKey?.add(fleetOf(object));
  }

  /** Every host for which the machine could speak. */
  #hostsWith(machine: MachineObject): ReadonlySet<string> {
    const about = hostsAbout(this.#caches.hosts, machine).map(({ metadata }) => metadata.name);
    return new Set([...hostIdsIn(machine), ...about]);
  }

  /** Most changes of a Node are heartbeats. */
  #macChanged({ object, before }: Change<Node>): void {
    if (this.isLeading && factsOf(object) !== factsOf(before))
      this.#controllers.queues.fleetSpread?.add(spreadKey);
  }

  #clusterChanged(kind: Half['kind'], key: string): void {
    if (this.isLeading) this.#controllers.queues.cluster.add(clusterKey(kind, key));
  }

  #makeRunners(client: KubeClient): RunnerFleet | undefined {
    const { runners: settings } = this.#settings;
    if (settings === undefined) return undefined;
    return new RunnerFleet({
      settings,
      client,
      ports: this.#ports,
      decisions: this.decisions,
      events: this.#events,
      mayAct: () => this.#lease.mayAct(),
      isLeading: () => this.isLeading,
      onTrouble: this.#trouble,
    });
  }

  #makeLease(): LeaderLease {
    const { clock, random, identity, exit, metrics = noMetrics } = this.#ports;
    const { leaseNamespace: namespace, leaseName: name, lease } = this.#settings;
    return new LeaderLease({
      client: clientWith(this.#ports, { deadlineMs: 3000, perSecond: 5 }),
      clock,
      random,
      namespace,
      name,
      identity,
      metrics,
      ...lease,
      onTrouble: this.#leaseTrouble,
      onNoNamespace: ({ message }) =>
        exit(
          `failed to create the Lease ${namespace}/${name}: ${message}; create the namespace, or name a namespace that exists with --lease-namespace`,
          'cannot-start',
        ),
      onActing: () => this.#lead(),
      onLost: () => exit('the lease is lost'),
    });
  }

  readonly #leaseTrouble = (error: FleetError): void => {
    if (!this.#leaseFailures.isDue(error)) return;
    const { reason, message } = error;
    warnTo(this.#ports)('failed to acquire or renew the lease', { reason, error: message });
  };

  readonly #trouble = ({ reason, message }: FleetError): void => this.#ports.log(`${reason}: ${message}`);
}
