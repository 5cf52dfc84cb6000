/** Runner pools in the manager: changes trigger reconciles, on the leader only. */
import { expect, it } from 'vitest';
import { askServer } from '../../../lab/harness/ask-server.ts';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { quietProvider as provider, quietSettings } from '../../../lab/harness/quiet-fleet.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { installKinds } from '../../embedded/kubernetes-api/installed-kinds.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import type { Signals } from '../../runner-pools/autoscaler/target.ts';
import type { StoppedReport } from '../../runner-pools/pods/ports.ts';
import { pods, serviceAccounts } from '../../kube/client/builtin-resources.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { PromMetrics } from '../../platform/process/prom-metrics.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { RandomStreams } from '../../../lab/simulator/engine/random-streams.ts';
import { FleetManager } from '../manager.ts';
import type { FleetSettings } from '../host-settings.ts';

const namespace = 'tuist-runners';
const settings: FleetSettings = {
  ...quietSettings,
  runners: { namespace, template: { dispatchUrl: 'https://dispatch.example/' } },
};
const poolPath = `/apis/tuist.dev/v1alpha1/namespaces/${namespace}/runnerpools`;
const autoscaling = { enabled: true, minWarmPoolFloor: 1, maxReplicas: 9 };

class Harness {
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

it('a pool gets its Pods, replaces a lost Pod, grows with its queue, and is deleted with all its objects', async () => {
  const harness = new Harness();
  harness.manager.start();
  await harness.clock.pass(10_000);
  harness.pool({ replicas: 1, autoscaling });
  await harness.clock.pass(2000);
  const [first = ''] = await harness.podNames();
  expect(await harness.podNames()).toHaveLength(1);
  harness.ask('DELETE', `/api/v1/namespaces/${namespace}/pods/${first}`, { gracePeriodSeconds: 0 });
  await harness.clock.pass(2000);
  expect(await harness.podNames()).toHaveLength(1);
  expect(await harness.podNames()).not.toContain(first);
  expect(harness.reported).toMatchObject([{ podName: first }]);
  harness.signals = { ...harness.signals, queued: 3 };
  await harness.clock.pass(8000);
  expect(await harness.podNames()).toHaveLength(4);
  expect(await harness.shown('tuist_runners_autoscaler_target_replicas{')).toEqual([
    'tuist_runners_autoscaler_target_replicas{pool="macs"} 4',
  ]);
  expect(await harness.shown('tuist_runners_pool_phase_replicas{')).toContain(
    'tuist_runners_pool_phase_replicas{pool="macs",phase="Pending"} 4',
  );
  harness.ask('DELETE', `${poolPath}/macs`);
  await harness.clock.pass(40_000);
  expect(await harness.podNames()).toEqual([]);
  const { items: accounts } = await harness.client.listPage(serviceAccounts, { namespace });
  expect(accounts.map(({ metadata }) => metadata.name)).toEqual(['default']);
  expect(await harness.shown('tuist_runners_pool')).toEqual([]);
  expect(await harness.shown('tuist_runners_autoscaler')).toEqual([]);
  expect(harness.crashes).toEqual([]);
  await harness.end();
});

it('a replica that does not lead creates nothing, and shows no gauges', async () => {
  const harness = new Harness();
  const spec = {
    holderIdentity: 'another replica',
    leaseDurationSeconds: 3600,
    renewTime: '2026-01-01T00:00:00.000000Z',
    acquireTime: '2026-01-01T00:00:00.000000Z',
  };
  harness.ask('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', {
    metadata: { name: 'muster-manager' },
    spec,
  });
  harness.pool({ replicas: 1 });
  harness.manager.start();
  await harness.clock.pass(5000);
  expect([harness.manager.isLeading, await harness.podNames()]).toEqual([false, []]);
  expect(await harness.shown('tuist_runners_pool_idle_replicas{')).toEqual([]);
  await harness.end();
});
