/** Runner Pods on the embedded API: what is read from them, and that a delete removes only the intended Pod. */
import { beforeEach, describe, expect, it } from 'vitest';
import { askServer, type Question } from '../../../../lab/harness/ask-server.ts';
import { EmbeddedTransport } from '../../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { annotations } from '../../../api/names/annotations.ts';
import { labels } from '../../../api/names/labels.ts';
import { ApiServer } from '../../../embedded/kubernetes-api/server.ts';
import { KubeClient } from '../../../kube/client/client.ts';
import { RateLimit } from '../../../platform/rate-limit.ts';
import { RandomStreams } from '../../../../lab/simulator/engine/random-streams.ts';
import { KubeRunnerPodLabels } from '../../assign/kube-runner-pod-labels.ts';
import type { PodRef } from '../../store/rows.ts';
import { KubeRunnerPods } from './kube-runner-pods.ts';
import type { SeenPod } from './runner-pods.ts';

const start = Date.UTC(2026, 0, 1);
const base = '/api/v1/namespaces/runners';
const owner = { id: '7', login: 'octo-org' };
const terminated = { terminated: { exitCode: 0, finishedAt: '2026-01-01T00:00:00Z' } };

class Harness {
  readonly clock = new TestClock(start);
  readonly transport: EmbeddedTransport;
  readonly pods: KubeRunnerPods;
  readonly podLabels: KubeRunnerPodLabels;

  async stamp(pod: PodRef): Promise<void> {
    const found = await this.podLabels.read(pod);
    if (found !== undefined) await this.podLabels.stamp(found, { owner, generation: 'g1' });
  }

  readonly #api: ApiServer;

  constructor() {
    const random = new RandomStreams(1).stream('test');
    this.#api = new ApiServer({ clock: this.clock, random, tokenSecret: new Uint8Array(32) });
    this.transport = new EmbeddedTransport(this.#api);
    const limit = new RateLimit(this.clock, { perSecond: 10_000, burst: 10_000 });
    const { clock, transport } = this;
    const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
    this.pods = new KubeRunnerPods(client, 'runners');
    this.podLabels = new KubeRunnerPodLabels({ client, clock, namespace: 'runners' });
    this.ask('POST', '/api/v1/namespaces', { metadata: { name: 'runners' } });
    this.clock.runDue();
  }

  ask(method: Question['method'], path: string, body?: object) {
    return askServer(this.#api, { method, path, body });
  }

  /** A Pod and its ServiceAccount; on Linux with a poller before the runner. */
  make(name: string, os: 'linux' | 'macos' = 'linux', marks: object = {}): void {
    const metadata = {
      name,
      labels: { [labels.runner.key]: 'true', [labels.runnerPool.key]: 'pool', ...marks },
    };
    const spec = {
      serviceAccountName: name,
      containers: [{ name: 'runner', image: 'image' }],
      ...(os === 'linux' && { initContainers: [{ name: 'poller', image: 'image' }] }),
    };
    this.ask('POST', `${base}/serviceaccounts`, { metadata });
    this.ask('POST', `${base}/pods`, { metadata, spec });
  }

  setStatus(name: string, status: object): void {
    this.ask('PATCH', `${base}/pods/${name}/status`, { status });
  }

  async only(which: 'stamped' | 'all' = 'all'): Promise<SeenPod> {
    const [pod, ...others] = await this.pods.list(which);
    if (pod === undefined || others.length > 0) throw new Error(`${others.length + 1} Pods`);
    return pod;
  }

  exists(what: 'pods' | 'serviceaccounts', name: string): boolean {
    const listed = JSON.stringify(this.ask('GET', `${base}/${what}`));
    return listed.includes(`"name":"${name}"`);
  }
}

let harness: Harness;
beforeEach(() => {
  harness = new Harness();
});

const status = (name: string, state: object, more: object = {}) => ({
  name,
  state,
  ready: false,
  restartCount: 0,
  image: 'image',
  imageID: '',
  ...more,
});

it('a Pod with at least one of the two labels is listed as stamped, once, and no other Pod', async () => {
  const ofOwner = { [labels.runnerPoolOwner.key]: 'octo-org' };
  const ofAccount = { [labels.runnerAccount.key]: '7' };
  harness.make('both', 'linux', { ...ofOwner, ...ofAccount });
  harness.make('with-owner', 'linux', ofOwner);
  harness.make('with-account', 'linux', ofAccount);
  harness.make('free');
  const found = await harness.pods.list('stamped');
  expect(found.map(({ name, isStamped, accountId }) => [name, isStamped, accountId])).toEqual([
    ['both', true, '7'],
    ['with-owner', true, undefined],
    ['with-account', true, '7'],
  ]);
});

it('the annotation of a Pod says that dispatch stamped the Pod', async () => {
  harness.make('a', 'linux', { [labels.runnerPoolOwner.key]: 'octo-org' });
  const { name, uid, ...older } = await harness.only();
  await harness.stamp({ name, uid });
  expect([older.hasOurStamp, (await harness.only()).hasOurStamp]).toEqual([false, true]);
});

it('the container status says that the runner has ended, also on a Mac', async () => {
  harness.make('a', 'macos');
  expect((await harness.only()).hasRunnerEnded).toBe(false);
  harness.setStatus('a', { containerStatuses: [status('runner', terminated)] });
  expect((await harness.only()).hasRunnerEnded).toBe(true);
});

describe('a Pod shows', () => {
  it.for<readonly [string, 'linux' | 'macos', object, boolean]>([
    ['that nothing was started, without any status', 'linux', {}, false],
    [
      'that nothing was started, while the poller runs',
      'linux',
      {
        initContainerStatuses: [status('poller', { running: {} }, { started: true })],
        containerStatuses: [status('runner', { waiting: { reason: 'PodInitializing' } }, { started: false })],
      },
      false,
    ],
    [
      'that a runner is about to start, when the poller has ended',
      'linux',
      { initContainerStatuses: [status('poller', terminated)] },
      true,
    ],
    [
      'that a runner was started',
      'linux',
      { containerStatuses: [status('runner', { running: {} }, { started: true })] },
      true,
    ],
    ['that a runner has ended', 'linux', { containerStatuses: [status('runner', terminated)] }, true],
    [
      'that a runner ran before',
      'linux',
      { containerStatuses: [status('runner', { waiting: {} }, { lastState: terminated })] },
      true,
    ],
    [
      'nothing about a runner on a Mac, which runs from the beginning',
      'macos',
      { containerStatuses: [status('runner', { running: {} }, { started: true })] },
      false,
    ],
  ])('%s', async ([, os, given, isRunnerLive]) => {
    harness.make('a', os);
    harness.setStatus('a', given);
    expect((await harness.only()).isRunnerLive).toBe(isRunnerLive);
  });

  it('the time and the account of the stamp, not the creation time', async () => {
    harness.make('a');
    await harness.clock.pass(60_000);
    const { uid } = await harness.only();
    expect(await harness.only()).toMatchObject({ stampedAt: undefined, isStamped: false, pool: 'pool' });
    await harness.stamp({ name: 'a', uid });
    expect(await harness.only('stamped')).toMatchObject({
      stampedAt: start + 60_000,
      isStamped: true,
      accountId: owner.id,
    });
    await harness.podLabels.unstamp({ name: 'a', uid }, 'g1');
    expect(await harness.only()).toMatchObject({ stampedAt: undefined, isStamped: false });
    expect(await harness.pods.list('stamped')).toEqual([]);
  });

  it('nothing about its stamp, where that cannot be read', async () => {
    harness.make('a');
    harness.ask('PATCH', `${base}/pods/a`, {
      metadata: { annotations: { [annotations.stampedAt.key]: 'yesterday' } },
    });
    expect((await harness.only()).stampedAt).toBeUndefined();
  });

  it.for(['Succeeded', 'Failed'])('that the Pod has ended, in phase %s', async (phase) => {
    harness.make('a');
    harness.setStatus('a', { phase });
    expect((await harness.only()).isTerminal).toBe(true);
  });
});

describe('a list', () => {
  it('reads all pages, and fails if one page fails', async () => {
    for (let index = 0; index < 501; index += 1) harness.make(`a-${index}`);
    expect(await harness.pods.list('all')).toHaveLength(501);
    harness.transport.trouble = ({ query }) => ('continue' in query ? 'lost' : undefined);
    await expect(harness.pods.list('all')).rejects.toThrow('the connection broke');
  });

  it('is never from a cache', async () => {
    await harness.pods.list('stamped');
    expect(harness.transport.requests.at(-1)?.query).not.toHaveProperty('resourceVersion');
  });
});

describe('a removal', () => {
  it('deletes the Pod and its ServiceAccount', async () => {
    harness.make('a');
    expect(await harness.pods.remove(await harness.only())).toBe('deleted');
    expect(harness.exists('serviceaccounts', 'a')).toBe(false);
    expect(await harness.pods.remove({ ...(await seen('b')), name: 'a' })).toBe('gone');
  });

  it('fails after a stamp in between: the Pod and its ServiceAccount stay', async () => {
    harness.make('a');
    const pod = await harness.only();
    await harness.stamp(pod);
    expect(await harness.pods.remove(pod)).toBe('overtaken');
    expect([harness.exists('pods', 'a'), harness.exists('serviceaccounts', 'a')]).toEqual([true, true]);
  });

  it('keeps another Pod of the same name, and its ServiceAccount', async () => {
    harness.make('a');
    const pod = await harness.only();
    expect(await harness.pods.remove({ ...pod, uid: 'of an older one' })).toBe('overtaken');
    expect([harness.exists('pods', 'a'), harness.exists('serviceaccounts', 'a')]).toEqual([true, true]);
    expect(await harness.pods.read({ name: 'a', uid: 'of an older one' })).toBeUndefined();
  });

  it('keeps a ServiceAccount without a pool label', async () => {
    harness.make('a');
    harness.ask('PATCH', `${base}/serviceaccounts/a`, {
      metadata: { labels: { [labels.runnerPool.key]: null } },
    });
    expect(await harness.pods.remove(await harness.only())).toBe('deleted');
    expect(harness.exists('serviceaccounts', 'a')).toBe(true);
  });

  it('keeps a ServiceAccount that was recreated since', async () => {
    harness.make('a');
    const pod = await harness.only();
    harness.transport.trouble = ({ method, path }) => {
      if (method !== 'DELETE' || !path.endsWith('/serviceaccounts/a')) return undefined;
      harness.transport.trouble = () => undefined;
      harness.ask('DELETE', `${base}/serviceaccounts/a`);
      const metadata = { name: 'a', labels: { [labels.runnerPool.key]: 'pool' } };
      harness.ask('POST', `${base}/serviceaccounts`, { metadata });
      return undefined;
    };
    expect(await harness.pods.remove(pod)).toBe('deleted');
    expect(harness.exists('serviceaccounts', 'a')).toBe(true);
  });
});

async function seen(name: string): Promise<SeenPod> {
  harness.make(name);
  const pods = await harness.pods.list('all');
  const pod = pods.find((one) => one.name === name);
  if (pod === undefined) throw new Error(`no Pod ${name}`);
  return pod;
}
