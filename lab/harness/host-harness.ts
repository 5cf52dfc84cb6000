/** The actions of the host controllers against the embedded API and a fake provider. */
import { installKinds } from '../../src/embedded/kubernetes-api/installed-kinds.ts';
import { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { FleetError } from '../../src/platform/errors/fleet-error.ts';
import { fleetViewOf } from '../../src/hosts/state/host-view.ts';
import { macHosts, machines, type MacHostObject, type MachineObject } from '../../src/hosts/state/objects.ts';
import type { FleetView } from '../../src/hosts/state/host-state.ts';
import type { Provider, Server } from '../../src/hosts/provider/port.ts';
import { KubeClient } from '../../src/kube/client/client.ts';
import { RateLimit } from '../../src/platform/rate-limit.ts';
import { RandomStreams } from '../simulator/engine/random-streams.ts';
import { askServer } from './ask-server.ts';
import { EmbeddedTransport } from './embedded-transport.ts';
import { TestClock } from './test-clock.ts';

export const hostId = '0a4f3c1e-6f0b-4a6d-9d55-2f6b8c1e7a10';
const machinesPath =
  '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/default/scalewayapplesiliconmachines';
const hostsPath = '/apis/muster.dev/v1alpha1/machosts';

export class HostHarness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly client: KubeClient;
  readonly transport: EmbeddedTransport;
  /** Changing calls to the provider, in order. */
  readonly calls: string[] = [];
  /** The same, with the progress messages of the host controller about the server. */
  readonly progress: string[] = [];
  /** The failure of the next changing call, which takes effect all the same. */
  nextFailure: FleetError | undefined;
  server: Server = serverCalled('pool-1');
  mayAct = true;
  /** The machines that the host controller knows. */
  living: readonly MachineObject[] = [];
  /** Runs while the provider is asked about the server. */
  meanwhile: () => void = () => undefined;
  /** The minimum time of the rent is not over. */
  isBelowFloor = false;
  readonly #server: ApiServer;

  constructor() {
    const random = new RandomStreams(1).stream('test');
    this.#server = new ApiServer({ clock: this.clock, random, tokenSecret: new Uint8Array(32) });
    installKinds(this.#server);
    this.clock.runDue();
    const limit = new RateLimit(this.clock, { perSecond: 1000, burst: 1000 });
    this.transport = new EmbeddedTransport(this.#server);
    const { transport } = this;
    this.client = new KubeClient({ transport, clock: this.clock, limit, fieldManager: 'test' });
  }

  get now(): () => number {
    return () => this.clock.now();
  }

  async host(spec: object, status: object = {}): Promise<MacHostObject> {
    const metadata = { name: hostId };
    this.#ask('POST', hostsPath, { apiVersion: 'muster.dev/v1alpha1', kind: 'MacHost', metadata, spec });
    const observed = {
      name: this.server.name,
      zone: 'fr-par-1',
      type: 'M2-L',
      status: 'ready',
      delivered: true,
    };
    this.changeHost({ status: { observed, ...status } }, '/status');
    return this.storedHost();
  }

  async machine(
    name: string,
    { status, ...fields }: { metadata?: object; status?: object } = {},
  ): Promise<MachineObject> {
    const type = {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
      kind: 'ScalewayAppleSiliconMachine',
    };
    this.#ask('POST', machinesPath, { ...type, metadata: { name, ...fields.metadata } });
    if (status !== undefined) this.changeMachine(name, { status }, '/status');
    return this.storedMachine(name);
  }

  changeHost(change: object, below = ''): void {
    this.#ask('PATCH', `${hostsPath}/${hostId}${below}`, change);
  }

  changeMachine(name: string, change: object, below = ''): void {
    this.#ask('PATCH', `${machinesPath}/${name}${below}`, change);
  }

  deleteMachine(name: string): void {
    this.#ask('DELETE', `${machinesPath}/${name}`);
  }

  deleteHost(): void {
    this.#ask('DELETE', `${hostsPath}/${hostId}`);
  }

  /** A competing write: once, after all reads and just before a write of the client. */
  beforeNext(method: 'PATCH' | 'DELETE', change: () => void): void {
    this.transport.trouble = (request) => {
      if (request.method !== method) return undefined;
      this.transport.trouble = () => undefined;
      change();
      return undefined;
    };
  }

  storedHost(): Promise<MacHostObject> {
    return this.client.get(macHosts, { name: hostId });
  }

  storedMachine(name: string): Promise<MachineObject> {
    return this.client.get(machines, { namespace: 'default', name });
  }

  /** A view in which only these machines live. */
  viewOf(...known: readonly MachineObject[]): FleetView {
    const rules = { poolPrefixes: ['pool-'], claimPrefix: 'runners-' };
    return fleetViewOf({ hosts: [], machines: known }, rules);
  }

  readonly provider: Provider = {
    listServers: () => Promise.resolve([this.server]),
    getServer: () => {
      this.meanwhile();
      return Promise.resolve(this.server);
    },
    rename: (_address, name) => this.#did(`rename ${name}`, () => (this.server = { ...this.server, name })),
    reinstall: () => this.#did('reinstall'),
    reboot: () => this.#did('reboot'),
    delete: () => {
      if (!this.isBelowFloor) return this.#did('delete');
      return Promise.reject(new FleetError('notYet', { reason: 'BillingFloor', message: 'too early' }));
    },
    scheduleDeletion: () => this.#did('schedule'),
    listOs: () => Promise.resolve([]),
    sshKeys: {
      list: () => Promise.resolve([]),
      register: (key) => Promise.resolve({ id: 'key', ...key }),
      delete: () => Promise.resolve(),
    },
  };

  #did(call: string, effect: () => unknown = () => undefined): Promise<void> {
    this.calls.push(call);
    this.progress.push(call);
    effect();
    const failure = this.nextFailure;
    this.nextFailure = undefined;
    return failure === undefined ? Promise.resolve() : Promise.reject(failure);
  }

  #ask(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): void {
    askServer(this.#server, { method, path, body });
  }
}

export function serverCalled(name: string): Server {
  return {
    id: hostId,
    name,
    zone: 'fr-par-1',
    type: 'M2-L',
    ip: '192.0.2.1',
    status: 'ready',
    statusText: 'ready',
    delivered: true,
    os: undefined,
    deletableAt: undefined,
    deletionScheduled: false,
    sshUsername: 'm1',
    sudoPassword: undefined,
    vncUrl: undefined,
  };
}
