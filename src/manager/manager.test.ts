/** The manager starts without optional kinds and rights, and lists zones beyond the configured ones. */
import { describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../lab/harness/embedded-transport.ts';
import { hostId, serverCalled } from '../../lab/harness/host-harness.ts';
import { quietProvider as provider, quietSettings } from '../../lab/harness/quiet-fleet.ts';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { crd } from '../api/crd/crd.ts';
import type { Kind } from '../api/kinds/kind.ts';
import { kinds } from '../api/kinds/kinds.ts';
import { macHost } from '../api/kinds/mac-host.ts';
import { scalewayAppleSiliconMachine } from '../api/kinds/scaleway-apple-silicon-machine.ts';
import { ownIdentity } from '../embedded/kubernetes-api/auth/identity.ts';
import type { Json } from '../embedded/kubernetes-api/json.ts';
import { ApiServer } from '../embedded/kubernetes-api/server.ts';
import type { Provider } from '../hosts/provider/port.ts';
import type { KubeRequest } from '../kube/client/transport.ts';
import { PromMetrics } from '../platform/process/prom-metrics.ts';
import { RandomStreams } from '../../lab/simulator/engine/random-streams.ts';
import { FleetManager } from './manager.ts';
import type { FleetSettings } from './host-settings.ts';

const settings: FleetSettings = { ...quietSettings, zones: ['fr-par-1'] };

class ManagerHarness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly server: ApiServer;
  readonly transport: EmbeddedTransport;
  readonly manager: FleetManager;
  readonly metrics = new PromMetrics();
  readonly crashes: unknown[] = [];
  readonly exits: (readonly [why: string, cause: 'cannot-start' | undefined])[] = [];
  readonly logged: string[] = [];
  readonly warnings: (readonly [message: string, fields: object])[] = [];

  constructor(installed: readonly Kind[], more: Partial<FleetSettings> & { rents?: Partial<Provider> } = {}) {
    const { clock } = this;
    const { rents, ...reported } = more;
    const random = new RandomStreams(1).stream('test');
    this.server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
    this.transport = new EmbeddedTransport(this.server);
    for (const kind of installed)
      this.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd(kind));
    clock.runDue();
    this.manager = new FleetManager(
      { ...settings, ...reported },
      {
        transport: this.transport,
        provider: { ...provider, ...rents },
        clock,
        random,
        identity: 'test',
        log: (text) => void this.logged.push(text),
        warn: (message, fields) => void this.warnings.push([message, fields]),
        metrics: this.metrics,
        exit: (why, cause) => void this.exits.push([why, cause]),
        crash: (error) => void this.crashes.push(error),
      },
    );
  }

  async leads(): Promise<boolean> {
    this.manager.start();
    for (let seconds = 0; seconds < 10; seconds += 1) await this.clock.pass(1000);
    return this.manager.isLeading;
  }

  ask(method: KubeRequest['method'], path: string, body: object): void {
    const json: Json = JSON.parse(JSON.stringify(body));
    const contentType = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    this.server.handle({ identity: ownIdentity, method, path, query: {}, body: json, ...contentType });
  }

  async end(): Promise<void> {
    const ended = this.manager.stop();
    await this.clock.pass(1000);
    await ended;
  }

  asked(part: string): readonly string[] {
    return this.transport.requests.filter(({ path }) => path.includes(part)).map(({ method }) => method);
  }
}

it('leads with only the kinds of hosts and machines installed', async () => {
  const harness = new ManagerHarness([macHost, scalewayAppleSiliconMachine]);
  expect([await harness.leads(), harness.crashes]).toEqual([true, []]);
  expect(harness.manager.caches.map(({ name }) => name)).toEqual(['hosts', 'machines']);
  await harness.end();
});

describe('a lease', () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/fleet/leases';
  const missing = `POST ${leases}: 404 namespaces "fleet" not found`;

  it('in a namespace that does not exist ends the start, and the reason names the flag', async () => {
    const harness = new ManagerHarness(kinds, { leaseNamespace: 'fleet' });
    expect(await harness.leads()).toBe(false);
    const why = `failed to create the Lease fleet/muster-manager: ${missing}; create the namespace, or name a namespace that exists with --lease-namespace`;
    expect(harness.exits).toEqual([[why, 'cannot-start']]);
    expect([harness.logged, harness.warnings]).toEqual([[], []]);
    await harness.end();
  });

  it('whose namespace is deleted later is a warning once a minute, and the manager goes on', async () => {
    const harness = new ManagerHarness(kinds, { leaseNamespace: 'fleet' });
    harness.ask('POST', '/api/v1/namespaces', { metadata: { name: 'fleet' } });
    const spec = { holderIdentity: 'other', leaseDurationSeconds: 15 };
    harness.ask('POST', leases, { metadata: { name: 'muster-manager' }, spec });
    expect(await harness.leads()).toBe(false);
    harness.ask('DELETE', '/api/v1/namespaces/fleet', {});
    await harness.clock.pass(110_000);
    const fields = { reason: 'NotFound', error: missing };
    const warning = ['failed to acquire or renew the lease', fields] as const;
    expect(harness.warnings).toEqual([warning, warning]);
    expect([harness.logged, harness.exits, harness.crashes]).toEqual([[], [], []]);
    await harness.end();
  });

  it('that is lost ends the process with another cause than a wrong setting', async () => {
    const harness = new ManagerHarness(kinds);
    expect(await harness.leads()).toBe(true);
    harness.ask('PATCH', '/apis/coordination.k8s.io/v1/namespaces/default/leases/muster-manager', {
      spec: { holderIdentity: 'other' },
    });
    await harness.clock.pass(10_000);
    expect(harness.exits).toEqual([['the lease is lost', undefined]]);
    await harness.end();
  });
});

it('reads no Nodes or Deployments unless a Deployment is to be spread', async () => {
  const harness = new ManagerHarness(kinds);
  expect(await harness.leads()).toBe(true);
  expect([...harness.asked('/nodes'), ...harness.asked('/deployments')]).toEqual([]);
  await harness.end();
});

it('leads without the right to read Nodes, and then rolls nothing', async () => {
  const harness = new ManagerHarness(kinds, {
    fleetSpread: { namespace: 'default', deployment: 'processor' },
  });
  const labels = { app: 'processor' };
  harness.ask('POST', '/apis/apps/v1/namespaces/default/deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'processor' },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } },
    },
  });
  const path = '/apis/apps/v1/namespaces/default/deployments/processor/status';
  harness.ask('PATCH', path, { status: { observedGeneration: 1 } });
  const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 };
  harness.transport.trouble = (request) =>
    request.path === '/api/v1/nodes' ? { status: 403, body: refusal } : undefined;
  expect(await harness.leads()).toBe(true);
  await harness.clock.pass(60_000);
  expect(new Set(harness.asked('/deployments'))).toEqual(new Set(['GET']));
  harness.transport.trouble = () => undefined;
  await harness.clock.pass(60_000);
  expect(harness.asked('/deployments')).toContain('PATCH');
  await harness.end();
});

it('only a leader shows the age of its inventory, the invariants, and its calls to the provider', async () => {
  const harness = new ManagerHarness(kinds);
  const text = (): Promise<string> => harness.metrics.text();
  expect(await text()).not.toMatch(/^muster_(inventory_age_seconds|invariant_violations)\{/m);
  expect(await harness.leads()).toBe(true);
  await harness.clock.pass(30_000);
  expect(await text()).toMatch(/^muster_inventory_age_seconds\{zone="fr-par-1"\} \d$/m);
  expect(await text()).toContain('muster_invariant_violations{inv="S1"} 0');
  expect(await text()).toMatch(/^muster_provider_calls_total\{verb="list",result="ok"\} [1-9]/m);
  await harness.end();
});

describe('a machine in a zone that is not configured', () => {
  class RemoteHarness extends ManagerHarness {
    readonly named: string[] = [];
    readonly listed = new Set<string>();

    constructor() {
      const os = { id: 'os', name: 'macos-tahoe-26.3', family: 'Tahoe', version: '26.3', isBeta: false };
      let server = { ...serverCalled('pool-1'), zone: 'fr-par-2', os };
      const rents: Partial<Provider> = {
        listServers: (zone) => {
          this.listed.add(zone);
          return Promise.resolve(zone === server.zone ? [server] : []);
        },
        getServer: () => Promise.resolve(server),
        rename: (_address, name) => {
          this.named.push(name);
          server = { ...server, name };
          return Promise.resolve();
        },
      };
      super([macHost, scalewayAppleSiliconMachine], { rents });
    }

    addMachine(zone = 'fr-par-2'): void {
      const path = '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/default';
      this.ask('POST', `${path}/scalewayapplesiliconmachines`, {
        apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
        kind: 'ScalewayAppleSiliconMachine',
        metadata: { name: 'runners-1' },
        spec: { zone, type: 'M2-L', os: 'Tahoe' },
      });
    }
  }

  it('gets a host there if created before a leader exists, and never reports a shortage', async () => {
    const harness = new RemoteHarness();
    harness.addMachine();
    expect(await harness.leads()).toBe(true);
    await harness.clock.pass(60_000);
    expect([harness.named, harness.crashes]).toEqual([['runners-1'], []]);
    expect(JSON.stringify(harness.transport.requests)).not.toContain('NoAvailableHost');
    await harness.end();
  });

  it('gets a host there if created later', async () => {
    const harness = new RemoteHarness();
    expect(await harness.leads()).toBe(true);
    harness.addMachine();
    await harness.clock.pass(60_000);
    expect([harness.named, harness.crashes]).toEqual([['runners-1'], []]);
    await harness.end();
  });

  it('has its host listed after the machine is gone, also by the next leader', async () => {
    const harness = new RemoteHarness();
    harness.ask('POST', '/apis/muster.dev/v1alpha1/machosts', {
      apiVersion: 'muster.dev/v1alpha1',
      kind: 'MacHost',
      metadata: { name: hostId },
    });
    const observed = {
      name: 'pool-1',
      zone: 'fr-par-2',
      type: 'M2-L',
      status: 'reinstalling',
      delivered: true,
    };
    harness.ask('PATCH', `/apis/muster.dev/v1alpha1/machosts/${hostId}/status`, { status: { observed } });
    expect(await harness.leads()).toBe(true);
    await harness.clock.pass(90_000);
    expect([harness.listed, harness.crashes]).toEqual([new Set(['fr-par-1', 'fr-par-2']), []]);
    await harness.end();
  });

  it('causes no listing of an invalid zone name', async () => {
    const harness = new RemoteHarness();
    harness.addMachine('../fr-par-2');
    expect(await harness.leads()).toBe(true);
    await harness.clock.pass(60_000);
    expect([harness.listed, harness.crashes]).toEqual([new Set(['fr-par-1']), []]);
    await harness.end();
  });
});
