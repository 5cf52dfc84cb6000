/**
 * A manager with the same task as FleetManager, written the older way: no MacHosts, the server name is the claim. It
 * replaces FleetManager in a simulation or a benchmark for comparison; it is not for production.
 */
import { isFleetError, type FleetError } from '../../../src/platform/errors/fleet-error.ts';
import { machines, type MachineObject } from '../../../src/hosts/state/objects.ts';
import type { FleetManagerPorts } from '../../../src/manager/manager-ports.ts';
import { usualKubeRequests, type FleetSettings } from '../../../src/manager/host-settings.ts';
import { Informer } from '../../../src/kube/informer/informer.ts';
import { KubeClient } from '../../../src/kube/client/client.ts';
import { keyOf, type Place } from '../../../src/kube/client/kube-object.ts';
import { LeaderLease } from '../../../src/kube/lease/leader-lease.ts';
import { KeyedQueue, type Outcome } from '../../../src/kube/work-queue.ts';
import { RateLimit, type RateLimitOptions } from '../../../src/platform/rate-limit.ts';
import { OlderMachines } from './older-machines.ts';
import { OlderPool } from './older-pool.ts';
import { OlderSweep } from './older-sweep.ts';

const sweepKey = 'all hosts';

export class OlderManager {
  readonly #settings: FleetSettings;
  readonly #ports: FleetManagerPorts;
  readonly #client: KubeClient;
  readonly #pool: OlderPool;
  readonly #lease: LeaderLease;
  readonly #machines: Informer<MachineObject>;
  readonly #visits: KeyedQueue;
  readonly #sweeps: KeyedQueue;
  #isLeading = false;

  constructor(settings: FleetSettings, ports: FleetManagerPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#client = this.#clientWith(10_000, settings.kubeRequests ?? usualKubeRequests);
    this.#pool = new OlderPool(ports);
    this.#lease = this.#makeLease();
    this.#machines = this.#makeCache();
    this.#visits = this.#makeVisits();
    this.#sweeps = this.#makeSweeps();
  }

  start(): void {
    this.#lease.start();
    this.#machines.listen(({ key }) => {
      if (this.#isLeading) this.#visits.add(key);
    });
    this.#machines.start();
    void this.#machines.synced().then(() => this.#lead());
  }

  async stop(): Promise<void> {
    await Promise.all([this.#visits.stop(), this.#sweeps.stop()]);
    await this.#machines.stop();
    await this.#lease.stop();
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  #lead(): void {
    if (this.#isLeading || !this.#machines.isSynced || !this.#lease.mayAct()) return;
    this.#isLeading = true;
    this.#ports.log('leads');
    for (const machine of this.#machines.all()) this.#visits.add(keyOf(machine));
    if (this.#settings.defaultPoolPrefix !== '') this.#sweeps.add(sweepKey);
  }

  #makeVisits(): KeyedQueue {
    const { defaultPoolPrefix, secretsNamespace, workers } = this.#settings;
    const { clock, log } = this.#ports;
    const own = { client: this.#client, pool: this.#pool, now: () => clock.now(), log };
    const visits = new OlderMachines({ ...own, defaultPoolPrefix, secretsNamespace });
    return this.#queueOf(workers, (key) => visits.visit(placeOf(key)));
  }

  /** The interval starts at the end of a run. */
  #makeSweeps(): KeyedQueue {
    const { zones, claimPrefix, defaultPoolPrefix: poolPrefix, sweepIntervalMs } = this.#settings;
    const { clock, log } = this.#ports;
    const own = { client: this.#client, pool: this.#pool, cached: () => this.#machines.all(), log };
    const sweep = new OlderSweep({ ...own, zones, claimPrefix, poolPrefix });
    return this.#queueOf(1, async () => {
      await sweep.run();
      return { at: clock.now() + sweepIntervalMs };
    });
  }

  #queueOf(workers: number, visit: (key: string) => Promise<Outcome>): KeyedQueue {
    const { clock, random, crash, log } = this.#ports;
    const backoff = { firstMs: 1000, maxMs: 60_000 };
    return new KeyedQueue({ clock, random, workers, backoff }, async (key) => {
      try {
        return await visit(key);
      } catch (error) {
        if (!isFleetError(error)) crash(error);
        else log(`${key}: ${error.reason}: ${error.message}`);
        return 'backoff';
      }
    });
  }

  #makeCache(): Informer<MachineObject> {
    const { clock, random, crash } = this.#ports;
    const client = this.#client;
    const onTrouble = this.#trouble;
    return new Informer({ client, resource: machines, clock, random, onTrouble, onListenerFault: crash });
  }

  /** A new leader acts at once, and no action checks the lease again. */
  #makeLease(): LeaderLease {
    const { clock, random, identity, exit } = this.#ports;
    const { leaseNamespace: namespace, leaseName: name, lease } = this.#settings;
    return new LeaderLease({
      client: this.#clientWith(3000, { perSecond: 5, burst: 10 }),
      clock,
      random,
      namespace,
      name,
      identity,
      durationMs: lease.durationMs,
      actMs: lease.actMs,
      handoverMs: 0,
      onTrouble: this.#trouble,
      onActing: () => this.#lead(),
      onLost: () => exit('the lease is lost'),
    });
  }

  #clientWith(deadlineMs: number, rate: RateLimitOptions): KubeClient {
    const { transport, clock } = this.#ports;
    const limit = new RateLimit(clock, rate);
    return new KubeClient({ transport, clock, limit, fieldManager: 'older-manager', deadlineMs });
  }

  readonly #trouble = ({ reason, message }: FleetError): void => this.#ports.log(`${reason}: ${message}`);
}

function placeOf(key: string): Place {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
