/** Runner pools inside of the manager: what changes is seen to without being asked for, and only by whoever leads. */
import { expect, it } from 'vitest';
import { askServer } from '../../../test/ask-server.ts';
import { EmbeddedTransport } from '../../../test/embedded-transport.ts';
import { quietProvider as provider, quietSettings } from '../../../test/quiet-fleet.ts';
import { TestClock } from '../../../test/test-clock.ts';
import { installKinds } from '../../apiserver/installed-kinds.ts';
import { ApiServer } from '../../apiserver/server.ts';
import type { Signals } from '../../controllers/autoscale/target.ts';
import type { StoppedReport } from '../../controllers/pool/ports.ts';
import { pods, serviceAccounts } from '../../runtime/kube/builtin-resources.ts';
import { KubeClient } from '../../runtime/kube/client.ts';
import { PromMetrics } from '../../runtime/process/prom-metrics.ts';
import { RateLimit } from '../../runtime/rate-limit.ts';
import { RandomStreams } from '../../sim/random-streams.ts';
import { FleetManager } from '../fleet-manager.ts';
import type { FleetSettings } from '../fleet-settings.ts';

const namespace = 'tuist-runners';
const settings: FleetSettings = {
  ...quietSettings,
  runners: { namespace, template: { dispatchUrl: 'https://dispatch.example/' } },
};
const poolPath = `/apis/tuist.dev/v1alpha1/namespaces/${namespace}/runnerpools`;
const autoscaling = { enabled: true, minWarmPoolFloor: 1, maxReplicas: 9 };

class Stand {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly metrics = new PromMetrics();
  readonly crashes: unknown[] = [];
  readonly reported: StoppedReport[] = [];
  readonly client: KubeClient;
  readonly manager: FleetManager;
  signals: Signals = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };
  readonly #server: ApiServer;

  constructor() {
    const { clock } = this;
    const random = new RandomStreams(1).stream('test');
    const controllers = { scheduling: 'off' } as const;
    this.#server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32), controllers });
    installKinds(this.#server);
    clock.runDue();
    this.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const transport = new EmbeddedTransport(this.#server);
    const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
    this.client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
    const crash = (error: unknown) => void this.crashes.push(error);
    this.manager = new FleetManager(settings, {
      transport,
      provider,
      clock,
      random,
      identity: 'test',
      log: () => undefined,
      metrics: this.metrics,
      exit: crash,
      crash,
      runners: {
        signals: { signals: () => Promise.resolve(this.signals) },
        reports: { stopped: (report) => Promise.resolve(void this.reported.push(report)) },
      },
    });
  }

  pool(spec: object): void {
    const fixed = { image: 'a', fleetSelector: 'macs', dispatchLabel: 'mac', runnerLabels: [] };
    const type = { apiVersion: 'tuist.dev/v1alpha1', kind: 'RunnerPool' };
    this.ask('POST', poolPath, { ...type, metadata: { name: 'macs' }, spec: { ...fixed, ...spec } });
  }

  ask(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): void {
    askServer(this.#server, { method, path, body });
  }

  async podNames(): Promise<readonly string[]> {
    return (await this.client.listPage(pods, { namespace })).items.map(({ metadata }) => metadata.name);
  }

  async shown(name: string): Promise<readonly string[]> {
    return (await this.metrics.text()).split('\n').filter((line) => line.startsWith(name));
  }

  async end(): Promise<void> {
    const ended = this.manager.stop();
    await this.clock.pass(1000);
    await ended;
  }
}

it('a pool gets its Pods, loses one and gets another, grows with its queue, and goes with all it has', async () => {
  const stand = new Stand();
  stand.manager.start();
  await stand.clock.pass(10_000);
  stand.pool({ replicas: 1, autoscaling });
  await stand.clock.pass(2000);
  const [first = ''] = await stand.podNames();
  expect(await stand.podNames()).toHaveLength(1);
  stand.ask('DELETE', `/api/v1/namespaces/${namespace}/pods/${first}`, { gracePeriodSeconds: 0 });
  await stand.clock.pass(2000);
  expect(await stand.podNames()).toHaveLength(1);
  expect(await stand.podNames()).not.toContain(first);
  expect(stand.reported).toMatchObject([{ podName: first }]);
  stand.signals = { ...stand.signals, queued: 3 };
  await stand.clock.pass(8000);
  expect(await stand.podNames()).toHaveLength(4);
  expect(await stand.shown('tuist_runners_autoscaler_target_replicas{')).toEqual([
    'tuist_runners_autoscaler_target_replicas{pool="macs"} 4',
  ]);
  expect(await stand.shown('tuist_runners_pool_phase_replicas{')).toContain(
    'tuist_runners_pool_phase_replicas{pool="macs",phase="Pending"} 4',
  );
  stand.ask('DELETE', `${poolPath}/macs`);
  await stand.clock.pass(40_000);
  expect(await stand.podNames()).toEqual([]);
  const { items: accounts } = await stand.client.listPage(serviceAccounts, { namespace });
  expect(accounts.map(({ metadata }) => metadata.name)).toEqual(['default']);
  expect(await stand.shown('tuist_runners_pool')).toEqual([]);
  expect(await stand.shown('tuist_runners_autoscaler')).toEqual([]);
  expect(stand.crashes).toEqual([]);
  await stand.end();
});

it('a replica that does not lead makes nothing, and shows nothing', async () => {
  const stand = new Stand();
  const spec = {
    holderIdentity: 'somebody else',
    leaseDurationSeconds: 3600,
    renewTime: '2026-01-01T00:00:00.000000Z',
    acquireTime: '2026-01-01T00:00:00.000000Z',
  };
  stand.ask('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', {
    metadata: { name: 'muster-manager' },
    spec,
  });
  stand.pool({ replicas: 1 });
  stand.manager.start();
  await stand.clock.pass(5000);
  expect([stand.manager.isLeading, await stand.podNames()]).toEqual([false, []]);
  expect(await stand.shown('tuist_runners_pool_idle_replicas{')).toEqual([]);
  await stand.end();
});
