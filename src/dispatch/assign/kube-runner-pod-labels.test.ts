/** The stamp on a runner Pod, on the embedded API: for whom it is, and who may remove it. */
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { askServer, type Question } from '../../../lab/harness/ask-server.ts';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { RandomStreams } from '../../../lab/simulator/engine/random-streams.ts';
import type { PodRef } from '../store/rows.ts';
import { KubeRunnerPodLabels } from './kube-runner-pod-labels.ts';
import type { RunnerPod } from './runner-pod-labels.ts';

const base = '/api/v1/namespaces/runners/pods';
const owner = { id: '7', login: 'octo-org' };
const first = { owner, generation: 'g1' };
const second = { owner: { id: '8', login: 'hexa-org' }, generation: 'g2' };

const stored = z.object({
  metadata: z.object({ uid: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
});

class Harness {
  readonly transport: EmbeddedTransport;
  readonly podLabels: KubeRunnerPodLabels;
  readonly #api: ApiServer;

  constructor() {
    const clock = new TestClock(Date.UTC(2026, 0, 1));
    const random = new RandomStreams(1).stream('test');
    this.#api = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
    this.transport = new EmbeddedTransport(this.#api);
    const limit = new RateLimit(clock, { perSecond: 10_000, burst: 10_000 });
    const client = new KubeClient({ transport: this.transport, clock, limit, fieldManager: 'test' });
    this.podLabels = new KubeRunnerPodLabels({ client, clock, namespace: 'runners' });
    this.ask('POST', '/api/v1/namespaces', { metadata: { name: 'runners' } });
    clock.runDue();
    this.make();
  }

  ask(method: Question['method'], path: string, body?: object): unknown {
    return askServer(this.#api, { method, path, body });
  }

  make(): void {
    const spec = { nodeName: 'node', containers: [{ name: 'runner', image: 'image' }] };
    this.ask('POST', base, { metadata: { name: 'a' }, spec });
  }

  beforeNextWrite(act: () => void): void {
    this.transport.trouble = ({ method }) => {
      if (method !== 'PATCH') return undefined;
      this.transport.trouble = () => undefined;
      act();
      return undefined;
    };
  }

  touch(): void {
    this.ask('PATCH', `${base}/a/status`, { status: { message: 'seen' } });
  }

  remove(gracePeriodSeconds: number): void {
    this.ask('DELETE', `${base}/a`, { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds });
  }

  get stored(): z.infer<typeof stored> {
    return stored.parse(this.ask('GET', `${base}/a`));
  }

  get ref(): PodRef {
    return { name: 'a', uid: this.stored.metadata.uid };
  }

  async read(): Promise<RunnerPod> {
    const pod = await this.podLabels.read(this.ref);
    if (pod === undefined) throw new Error('it is there');
    return pod;
  }
}

let harness: Harness;
beforeEach(() => {
  harness = new Harness();
});

it('is written and removed by its claim', async () => {
  expect(await harness.podLabels.stamp(await harness.read(), first)).toBe('stamped');
  expect((await harness.read()).owner).toBe('octo-org');
  await harness.podLabels.unstamp(harness.ref, 'g1');
  expect((await harness.read()).owner).toBeUndefined();
});

it('is not removed by another claim', async () => {
  await harness.podLabels.stamp(await harness.read(), first);
  await harness.podLabels.stamp(await harness.read(), second);
  await harness.podLabels.unstamp(harness.ref, 'g1');
  expect((await harness.read()).owner).toBe('hexa-org');
});

it('stays when another claim replaces it between read and write', async () => {
  await harness.podLabels.stamp(await harness.read(), first);
  const { ref } = harness;
  harness.beforeNextWrite(() => {
    harness.ask('PATCH', `${base}/a`, {
      metadata: {
        labels: { [labels.runnerPoolOwner.key]: 'hexa-org' },
        annotations: { [annotations.stampedFor.key]: 'g2' },
      },
    });
  });
  await harness.podLabels.unstamp(ref, 'g1');
  expect((await harness.read()).owner).toBe('hexa-org');
});

it('is removed even if the kubelet writes to the Pod meanwhile', async () => {
  await harness.podLabels.stamp(await harness.read(), first);
  const { ref } = harness;
  harness.beforeNextWrite(() => harness.touch());
  await harness.podLabels.unstamp(ref, 'g1');
  expect((await harness.read()).owner).toBeUndefined();
});

it('is refused if another poll stamped the Pod since the read, and that stamp stays', async () => {
  const seen = await harness.read();
  await harness.podLabels.stamp(await harness.read(), second);
  expect(await harness.podLabels.stamp(seen, first)).toBe('overtaken');
  await harness.podLabels.unstamp(seen, 'g1');
  expect((await harness.read()).owner).toBe('hexa-org');
});

it('is refused if the other stamp is written just before', async () => {
  const [seen, other] = [await harness.read(), await harness.read()];
  harness.beforeNextWrite(() => {
    const marks = { annotations: { [annotations.stampedFor.key]: 'g2' } };
    harness.ask('PATCH', `${base}/a`, { metadata: marks });
  });
  expect(await harness.podLabels.stamp(seen, first)).toBe('overtaken');
  expect(await harness.podLabels.stamp(other, second)).toBe('stamped');
});

it('replaces the stamp that was read, even if the kubelet writes to the Pod meanwhile', async () => {
  await harness.podLabels.stamp(await harness.read(), first);
  const seen = await harness.read();
  harness.touch();
  harness.beforeNextWrite(() => harness.touch());
  expect(await harness.podLabels.stamp(seen, second)).toBe('stamped');
  expect((await harness.read()).owner).toBe('hexa-org');
});

it('may be repeated after a lost answer, and after an older stamp was removed meanwhile', async () => {
  await harness.podLabels.stamp(await harness.read(), second);
  const seen = await harness.read();
  await harness.podLabels.unstamp(seen, 'g2');
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect(await harness.podLabels.stamp(seen, first)).toBe('stamped');
  expect((await harness.read()).stampedFor).toBe('g1');
});

it('is refused for a Pod that is being deleted, which would lose the job', async () => {
  const seen = await harness.read();
  harness.remove(30);
  expect(await harness.podLabels.stamp(seen, first)).toBe('gone');
  expect(await harness.podLabels.read(seen)).toBeUndefined();
});

it('is refused for a later Pod of the same name', async () => {
  const seen = await harness.read();
  harness.remove(0);
  expect(await harness.podLabels.stamp(seen, first)).toBe('gone');
  harness.make();
  expect(await harness.podLabels.stamp(seen, first)).toBe('gone');
  await harness.podLabels.unstamp(seen, 'g1');
  expect(harness.stored.metadata.labels).toEqual({});
});

it('comes with the served mark, even after other writes, and both are removed together', async () => {
  const seen = await harness.read();
  await harness.podLabels.stamp(seen, first);
  harness.touch();
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect(await harness.podLabels.markServed(seen, 'g1')).toBe('stamped');
  expect((await harness.read()).isServed).toBe(true);
  await harness.podLabels.unstamp(seen, 'g1');
  expect((await harness.read()).isServed).toBe(false);
});

it('of another claim makes the served mark fail', async () => {
  const seen = await harness.read();
  await harness.podLabels.stamp(seen, first);
  await harness.podLabels.stamp(await harness.read(), second);
  expect(await harness.podLabels.markServed(seen, 'g1')).toBe('overtaken');
});

it('gets no served mark if the Pod is being deleted, or another Pod has its name', async () => {
  const seen = await harness.read();
  await harness.podLabels.stamp(seen, first);
  harness.remove(30);
  expect(await harness.podLabels.markServed(seen, 'g1')).toBe('gone');
  harness.remove(0);
  expect(await harness.podLabels.markServed(seen, 'g1')).toBe('gone');
  harness.make();
  expect(await harness.podLabels.markServed(seen, 'g1')).toBe('gone');
  expect((await harness.read()).isServed).toBe(false);
});

it.for([
  ['octo-org', 'octo-org'],
  ['_odd', 'account-7'],
  ['x'.repeat(64), 'account-7'],
] as const)('of an account that is called %s says %s', async ([login, said]) => {
  await harness.podLabels.stamp(await harness.read(), { ...first, owner: { id: '7', login } });
  expect((await harness.read()).owner).toBe(said);
});
