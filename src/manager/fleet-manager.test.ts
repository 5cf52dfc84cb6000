/**
 * What the manager does not wait for, such as kinds that are not there and rights that only one controller needs; and
 * where it looks without being told.
 */
import { describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../test/embedded-transport.ts';
import { hostId, serverCalled } from '../../test/host-stand.ts';
import { quietProvider as provider, quietSettings } from '../../test/quiet-fleet.ts';
import { TestClock } from '../../test/test-clock.ts';
import { crd } from '../api/crd.ts';
import type { Kind } from '../api/kind.ts';
import { kinds } from '../api/kinds.ts';
import { macHost } from '../api/mac-host.ts';
import { scalewayAppleSiliconMachine } from '../api/scaleway-apple-silicon-machine.ts';
import { ownIdentity } from '../apiserver/auth/identity.ts';
import type { Json } from '../apiserver/json.ts';
import { ApiServer } from '../apiserver/server.ts';
import type { Provider } from '../provider/port.ts';
import type { KubeRequest } from '../runtime/kube/transport.ts';
import { PromMetrics } from '../runtime/process/prom-metrics.ts';
import { RandomStreams } from '../sim/random-streams.ts';
import { FleetManager } from './fleet-manager.ts';
import type { FleetSettings } from './fleet-settings.ts';

const settings: FleetSettings = { ...quietSettings, zones: ['fr-par-1'] };

class ManagerStand {
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
    const { rents, ...told } = more;
    const random = new RandomStreams(1).stream('test');
    this.server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
    this.transport = new EmbeddedTransport(this.server);
    for (const kind of installed)
      this.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd(kind));
    clock.runDue();
    this.manager = new FleetManager(
      { ...settings, ...told },
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

it('leads where only the kinds of hosts and machines are installed', async () => {
  const stand = new ManagerStand([macHost, scalewayAppleSiliconMachine]);
  expect([await stand.leads(), stand.crashes]).toEqual([true, []]);
  expect(stand.manager.caches.map(({ name }) => name)).toEqual(['hosts', 'machines']);
  await stand.end();
});

describe('a lease', () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/fleet/leases';
  const missing = `POST ${leases}: 404 namespaces "fleet" not found`;

  it('in a namespace that does not exist ends the start, and the reason names the flag', async () => {
    const stand = new ManagerStand(kinds, { leaseNamespace: 'fleet' });
    expect(await stand.leads()).toBe(false);
    const why = `failed to create the Lease fleet/muster-manager: ${missing}; create the namespace, or name a namespace that exists with --lease-namespace`;
    expect(stand.exits).toEqual([[why, 'cannot-start']]);
    expect([stand.logged, stand.warnings]).toEqual([[], []]);
    await stand.end();
  });

  it('whose namespace goes away later is a warning once a minute, and the manager stays', async () => {
    const stand = new ManagerStand(kinds, { leaseNamespace: 'fleet' });
    stand.ask('POST', '/api/v1/namespaces', { metadata: { name: 'fleet' } });
    const spec = { holderIdentity: 'other', leaseDurationSeconds: 15 };
    stand.ask('POST', leases, { metadata: { name: 'muster-manager' }, spec });
    expect(await stand.leads()).toBe(false);
    stand.ask('DELETE', '/api/v1/namespaces/fleet', {});
    await stand.clock.pass(110_000);
    const fields = { reason: 'NotFound', error: missing };
    const warning = ['failed to acquire or renew the lease', fields] as const;
    expect(stand.warnings).toEqual([warning, warning]);
    expect([stand.logged, stand.exits, stand.crashes]).toEqual([[], [], []]);
    await stand.end();
  });

  it('that is lost ends the process for another reason than a wrong setting', async () => {
    const stand = new ManagerStand(kinds);
    expect(await stand.leads()).toBe(true);
    stand.ask('PATCH', '/apis/coordination.k8s.io/v1/namespaces/default/leases/muster-manager', {
      spec: { holderIdentity: 'other' },
    });
    await stand.clock.pass(10_000);
    expect(stand.exits).toEqual([['the lease is lost', undefined]]);
    await stand.end();
  });
});

it('nobody looks at Nodes or Deployments unless a Deployment is to be spread', async () => {
  const stand = new ManagerStand(kinds);
  expect(await stand.leads()).toBe(true);
  expect([...stand.asked('/nodes'), ...stand.asked('/deployments')]).toEqual([]);
  await stand.end();
});

it('leads though it may not see Nodes, and rolls nothing for want of them', async () => {
  const stand = new ManagerStand(kinds, { fleetSpread: { namespace: 'default', deployment: 'processor' } });
  const labels = { app: 'processor' };
  stand.ask('POST', '/apis/apps/v1/namespaces/default/deployments', {
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
  stand.ask('PATCH', path, { status: { observedGeneration: 1 } });
  const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 };
  stand.transport.trouble = (request) =>
    request.path === '/api/v1/nodes' ? { status: 403, body: refusal } : undefined;
  expect(await stand.leads()).toBe(true);
  await stand.clock.pass(60_000);
  expect(new Set(stand.asked('/deployments'))).toEqual(new Set(['GET']));
  stand.transport.trouble = () => undefined;
  await stand.clock.pass(60_000);
  expect(stand.asked('/deployments')).toContain('PATCH');
  await stand.end();
});

it('a leader shows how old its inventory is, which invariants hold, and its calls to the provider; others do not', async () => {
  const stand = new ManagerStand(kinds);
  const text = (): Promise<string> => stand.metrics.text();
  expect(await text()).not.toMatch(/^muster_(inventory_age_seconds|invariant_violations)\{/m);
  expect(await stand.leads()).toBe(true);
  await stand.clock.pass(30_000);
  expect(await text()).toMatch(/^muster_inventory_age_seconds\{zone="fr-par-1"\} \d$/m);
  expect(await text()).toContain('muster_invariant_violations{inv="S1"} 0');
  expect(await text()).toMatch(/^muster_provider_calls_total\{verb="list",result="ok"\} [1-9]/m);
  await stand.end();
});

describe('a machine in a zone that the manager was not told of', () => {
  class FarStand extends ManagerStand {
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

  it('gets a host from there when it is there before somebody leads, and is never told that there is none', async () => {
    const stand = new FarStand();
    stand.addMachine();
    expect(await stand.leads()).toBe(true);
    await stand.clock.pass(60_000);
    expect([stand.named, stand.crashes]).toEqual([['runners-1'], []]);
    expect(JSON.stringify(stand.transport.requests)).not.toContain('NoAvailableHost');
    await stand.end();
  });

  it('gets a host from there when it comes later', async () => {
    const stand = new FarStand();
    expect(await stand.leads()).toBe(true);
    stand.addMachine();
    await stand.clock.pass(60_000);
    expect([stand.named, stand.crashes]).toEqual([['runners-1'], []]);
    await stand.end();
  });

  it('has its host looked at there also after it is gone itself, by whoever leads then', async () => {
    const stand = new FarStand();
    stand.ask('POST', '/apis/muster.dev/v1alpha1/machosts', {
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
    stand.ask('PATCH', `/apis/muster.dev/v1alpha1/machosts/${hostId}/status`, { status: { observed } });
    expect(await stand.leads()).toBe(true);
    await stand.clock.pass(90_000);
    expect([stand.listed, stand.crashes]).toEqual([new Set(['fr-par-1', 'fr-par-2']), []]);
    await stand.end();
  });

  it('has nobody ask for a zone that cannot be one', async () => {
    const stand = new FarStand();
    stand.addMachine('../fr-par-2');
    expect(await stand.leads()).toBe(true);
    await stand.clock.pass(60_000);
    expect([stand.listed, stand.crashes]).toEqual([new Set(['fr-par-1']), []]);
    await stand.end();
  });
});
