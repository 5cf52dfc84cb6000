/** Runner pools against the embedded API: a test plays kubelets and dispatch, and decides the content of the caches. */
import { labels } from '../../src/api/names/labels.ts';
import { installKinds } from '../../src/embedded/kubernetes-api/installed-kinds.ts';
import { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { PoolController } from '../../src/runner-pools/pool/controller.ts';
import { PoolGarbageCollector } from '../../src/runner-pools/garbage-collector/controller.ts';
import type { PoolPorts } from '../../src/runner-pools/pool/ports.ts';
import type { PodLogs, StoppedReport, StoppedReports } from '../../src/runner-pools/pods/ports.ts';
import { runnerPools, type RunnerPoolObject } from '../../src/runner-pools/state/runner-pool-objects.ts';
import type { Result } from '../../src/kube/reconciler/plan.ts';
import {
  nodes,
  pods,
  serviceAccounts,
  type Node,
  type Pod,
  type ServiceAccount,
} from '../../src/kube/client/builtin-resources.ts';
import { isFleetError } from '../../src/platform/errors/fleet-error.ts';
import { KubeClient } from '../../src/kube/client/client.ts';
import { RateLimit } from '../../src/platform/rate-limit.ts';
import { zoneClock } from '../../src/platform/zone-clock.ts';
import { RandomStreams } from '../simulator/engine/random-streams.ts';
import type { Action, Observed } from '../../src/runner-pools/pool/observed.ts';
import { askServer } from './ask-server.ts';
import { EmbeddedTransport } from './embedded-transport.ts';
import { TestClock } from './test-clock.ts';

export const namespace = 'tuist-runners';
export const poolKey = `${namespace}/linux`;
const poolsPath = `/apis/tuist.dev/v1alpha1/namespaces/${namespace}/runnerpools`;
const podsPath = `/api/v1/namespaces/${namespace}/pods`;

export const linuxSpec = {
  replicas: 2,
  image: 'runner@sha256:1',
  fleetSelector: 'linux-nodes',
  dispatchLabel: 'linux',
  runnerLabels: ['self-hosted', 'Linux'],
  os: 'linux',
  runtimeClass: 'kata-qemu',
};

export class PoolHarness {
  /** Pods with a started removal, and the reason. */
  readonly removed: string[] = [];
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly transport: EmbeddedTransport;
  readonly client: KubeClient;
  readonly reported: StoppedReport[] = [];
  /** The reaction of dispatch to a report. */
  onReport: () => Promise<void> = () => Promise.resolve();
  lastWords = '';
  mayAct = true;
  controller: PoolController;
  readonly garbageCollector: PoolGarbageCollector;
  readonly #server: ApiServer;
  readonly #cache = { pods: new Map<string, Pod>(), accounts: new Map<string, ServiceAccount>() };
  #pools: readonly RunnerPoolObject[] = [];
  #nodes: readonly Node[] = [];

  constructor(more: Partial<PoolPorts> = {}) {
    const random = new RandomStreams(1).stream('test');
    this.#server = new ApiServer({
      clock: this.clock,
      random,
      tokenSecret: new Uint8Array(32),
      controllers: { scheduling: 'off' },
    });
    installKinds(this.#server);
    this.clock.runDue();
    this.transport = new EmbeddedTransport(this.#server);
    const limit = new RateLimit(this.clock, { perSecond: 1000, burst: 1000 });
    this.client = new KubeClient({
      transport: this.transport,
      clock: this.clock,
      limit,
      fieldManager: 'test',
    });
    this.#ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    this.#ask('POST', '/apis/node.k8s.io/v1/runtimeclasses', {
      metadata: { name: 'kata-qemu' },
      handler: 'kata',
    });
    this.controller = new PoolController({ ...this.#ports(random), ...more });
    this.garbageCollector = new PoolGarbageCollector({ ...this.#ports(random), ...more });
  }

  pool(spec: object = {}, name = 'linux'): void {
    const type = { apiVersion: 'tuist.dev/v1alpha1', kind: 'RunnerPool' };
    this.#ask('POST', poolsPath, { ...type, metadata: { name }, spec: { ...linuxSpec, ...spec } });
  }

  changePool(change: object, name = 'linux'): void {
    this.#ask('PATCH', `${poolsPath}/${name}`, change);
  }

  /** Removes the finalizer, so that the pool is not drained. */
  deletePoolByForce(): void {
    this.deletePool();
    this.changePool({ metadata: { finalizers: null } });
  }

  deletePool(name = 'linux'): void {
    this.#ask('DELETE', `${poolsPath}/${name}`);
  }

  node(name: string, spec: object = {}): void {
    const metadata = { name, labels: { [labels.linuxPool.key]: 'linux-nodes' } };
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    this.#ask('POST', '/api/v1/nodes', { metadata, spec, status });
  }

  cordon(name: string): void {
    this.#ask('PATCH', `/api/v1/nodes/${name}`, { spec: { unschedulable: true } });
  }

  /** Writes as the kubelet. */
  podStatus(name: string, status: object): void {
    this.#ask('PATCH', `${podsPath}/${name}/status`, { status });
  }

  /** Marks the Pod as waiting for a job. */
  polling(name: string): void {
    this.podStatus(name, { phase: 'Pending', initContainerStatuses: [poller({ running: {} })] });
  }

  /** Marks the Pod as busy: the kubelet reports a job, though the label may be missing. */
  atWork(name: string): void {
    const terminated = { exitCode: 0, finishedAt: '2026-01-01T00:00:00Z' };
    this.podStatus(name, { phase: 'Running', initContainerStatuses: [poller({ terminated })] });
  }

  ended(name: string, exitCode = 0): void {
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' };
    const runner = {
      name: 'runner',
      state: { terminated },
      ready: false,
      restartCount: 0,
      image: '',
      imageID: '',
    };
    this.podStatus(name, { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [runner] });
  }

  /** Stamps the Pod as dispatch. */
  stamp(name: string): void {
    this.#ask('PATCH', `${podsPath}/${name}`, {
      metadata: { labels: { [labels.runnerPoolOwner.key]: 'acme' } },
    });
  }

  bind(name: string, nodeName: string): void {
    const target = { apiVersion: 'v1', kind: 'Node', name: nodeName };
    this.#ask('POST', `${podsPath}/${name}/binding`, { metadata: { name }, target });
  }

  /** Removes the Pod as the kubelet, after its end. */
  removePod(name: string): void {
    const body = { gracePeriodSeconds: 0 };
    this.#ask('DELETE', `${podsPath}/${name}`, body);
  }

  /** Updates the caches from the stored objects. */
  async learn(): Promise<void> {
    this.#pools = (await this.client.listPage(runnerPools, { namespace })).items;
    this.#nodes = (await this.client.listPage(nodes, {})).items;
    const before = [...this.#cache.pods.values()];
    this.#fill(this.#cache.pods, (await this.client.listPage(pods, { namespace })).items);
    const known = (await this.client.listPage(serviceAccounts, { namespace })).items;
    this.#fill(
      this.#cache.accounts,
      known.filter(({ metadata }) => metadata.labels?.[labels.runnerPool.key] !== undefined),
    );
    for (const pod of before) if (!this.#cache.pods.has(pod.metadata.uid)) this.controller.gone(pod);
  }

  /** Observes, plans, and acts; `meanwhile` runs before the actions. */
  async visit(meanwhile: () => void = () => undefined, key = poolKey): Promise<readonly Result<Action>[]> {
    await this.learn();
    const observed = await this.controller.observe(key);
    if (observed === undefined) return [];
    const plan = this.controller.plan(observed);
    meanwhile();
    const results: Result<Action>[] = [];
    for (const action of plan.actions) results.push({ action, outcome: await this.#try(action, observed) });
    await this.controller.status(observed, { plan, results });
    return results;
  }

  /** Repeats until no action is left. */
  async settle(key = poolKey): Promise<void> {
    for (let round = 0; round < 10; round += 1) if ((await this.visit(undefined, key)).length === 0) return;
    throw new Error('the pool does not settle');
  }

  async pods(): Promise<readonly Pod[]> {
    return (await this.client.listPage(pods, { namespace })).items;
  }

  async podNames(): Promise<readonly string[]> {
    return (await this.pods()).map(({ metadata }) => metadata.name);
  }

  async accountNames(): Promise<readonly string[]> {
    const { items } = await this.client.listPage(serviceAccounts, { namespace });
    return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'default');
  }

  /** Returns the status of the pool. */
  async poolStatus(): Promise<NonNullable<RunnerPoolObject['status']>> {
    return (await this.storedPool())?.status ?? {};
  }

  storedPool(name = 'linux'): Promise<RunnerPoolObject | undefined> {
    return this.client.find(runnerPools, { namespace, name });
  }

  deleteAccount(name: string): void {
    this.#ask('DELETE', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`);
  }

  /** A person removes the object from the pool: its pool label is deleted. */
  disown(kind: 'pods' | 'serviceaccounts', name: string): void {
    const path = `/api/v1/namespaces/${namespace}/${kind}/${name}`;
    this.#ask('PATCH', path, { metadata: { labels: { [labels.runnerPoolUid.key]: null } } });
  }

  /** A competing write: once, after all reads and just before the write. */
  beforeNext(method: 'PATCH' | 'DELETE', change: () => void): void {
    this.transport.trouble = (request) => {
      if (request.method !== method) return undefined;
      this.transport.trouble = () => undefined;
      change();
      return undefined;
    };
  }

  async #try(action: Action, observed: Observed): Promise<Result<Action>['outcome']> {
    try {
      return await this.controller.act(action, observed);
    } catch (error) {
      if (isFleetError(error)) return error;
      throw error;
    }
  }

  #ports(random: PoolPorts['random']): PoolPorts {
    const reports: StoppedReports = {
      stopped: async (report) => {
        await this.onReport();
        this.reported.push(report);
      },
    };
    const logs: PodLogs = { tail: () => Promise.resolve(this.lastWords) };
    const ofPool = <T extends Pod | ServiceAccount>(all: Map<string, T>, pool: string): readonly T[] =>
      [...all.values()].filter(({ metadata }) => metadata.labels?.[labels.runnerPool.key] === pool);
    return {
      client: this.client,
      now: () => this.clock.now(),
      random,
      wallClock: zoneClock,
      mayAct: () => this.mayAct,
      find: (key) => this.#pools.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key),
      pools: () => this.#pools,
      podsOf: (pool) => ofPool(this.#cache.pods, pool),
      podOf: (uid) => this.#cache.pods.get(uid),
      accountsOf: (pool) => ofPool(this.#cache.accounts, pool),
      nodes: () => this.#nodes,
      template: { dispatchUrl: 'https://dispatch.example/api/internal/runners/dispatch' },
      reports,
      logs,
      blocked: () => undefined,
      removing: ({ metadata }, why) => void this.removed.push(`${metadata.name}: ${why}`),
      timedOut: () => undefined,
    };
  }

  #fill<T extends Pod | ServiceAccount>(cache: Map<string, T>, items: readonly T[]): void {
    cache.clear();
    for (const item of items) cache.set(item.metadata.uid, item);
  }

  #ask(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): void {
    askServer(this.#server, { method, path, body });
  }
}

function poller(state: object): object {
  return { name: 'poller', state, ready: false, restartCount: 0, image: '', imageID: '' };
}

export function outcomes(results: readonly Result<Action>[]): readonly (readonly [string, string])[] {
  return results.map(({ action, outcome }) => [
    action.kind,
    typeof outcome === 'string' ? outcome : outcome.kind,
  ]);
}
