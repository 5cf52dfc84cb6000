/** An agent on the embedded API and on virtual time; what runs in its Pods does what the test says. */
import { beforeEach, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { ApiServer } from '../embedded/kubernetes-api/server.ts';
import {
  leases,
  nodes,
  pods,
  serviceAccounts,
  tokenReviews,
  type Pod,
} from '../kube/client/builtin-resources.ts';
import { KubeClient } from '../kube/client/client.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import { RandomStreams } from '../../lab/simulator/engine/random-streams.ts';
import type { ContainerOrder, ContainerEnd, ContainerSignals } from './drivers/port.ts';
import { Agent, type AgentOptions } from './agent.ts';
import type { NodeShape } from './node/node-object.ts';

const namespace = 'default';
const linux: NodeShape = { name: 'linux-1', os: 'linux', fleet: 'runners-linux', cpus: 16, memoryMb: 32_768 };
const mac: NodeShape = { name: 'mac-1', os: 'darwin', fleet: 'macs', cpus: 12, memoryMb: 28_672 };

interface Started {
  readonly pod: string;
  readonly container: ContainerOrder;
  readonly signals: ContainerSignals;
  readonly end: (end: ContainerEnd) => void;
}

let clock: TestClock;
let transport: EmbeddedTransport;
let client: KubeClient;
let started: Started[];
/** Whether the driver has the containers of an earlier agent. */
let isKnown: boolean;
const streams = new RandomStreams(1);

beforeEach(async () => {
  clock = new TestClock(Date.UTC(2026, 0, 1));
  const server = new ApiServer({ clock, random: streams.stream('server'), tokenSecret: new Uint8Array(32) });
  transport = new EmbeddedTransport(server);
  const limit = new RateLimit(clock, { perSecond: 10_000, burst: 10_000 });
  client = new KubeClient({ transport, clock, limit, fieldManager: 'agent' });
  started = [];
  isKnown = false;
  await clock.pass(100);
});

async function agentOf(node: NodeShape, more: Partial<AgentOptions> = {}): Promise<Agent> {
  const agent = new Agent({
    client,
    clock,
    random: streams.stream('agent'),
    node,
    driver: ({ name }) => ({
      isKnown,
      run: (container, signals) => {
        const { promise, resolve } = Promise.withResolvers<ContainerEnd>();
        started.push({ pod: name, container, signals, end: resolve });
        return promise;
      },
    }),
    log: () => undefined,
    onFault: (error) => expect.fail(String(error)),
    ...more,
  });
  agent.start();
  await clock.pass(1000);
  return agent;
}

const token = {
  name: 'tuist-runner-token',
  projected: {
    sources: [
      { serviceAccountToken: { audience: 'tuist-runners-dispatch', expirationSeconds: 3600, path: 'token' } },
    ],
  },
};

async function makePod(name: string, spec: object): Promise<Pod> {
  await client.create(serviceAccounts, { namespace }, { metadata: { name } });
  const pod = await client.create(
    pods,
    { namespace },
    { metadata: { name }, spec: { restartPolicy: 'Never', serviceAccountName: name, ...spec } },
  );
  await clock.pass(1000);
  return pod;
}

const linuxSpec = {
  nodeSelector: {
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'node.cluster.x-k8s.io/pool': 'runners-linux',
  },
  tolerations: [{ key: 'tuist.dev/runner-tier', value: 'bare-metal', effect: 'NoSchedule' }],
  automountServiceAccountToken: false,
  volumes: [token],
  initContainers: [
    { name: 'dind', image: 'dind', restartPolicy: 'Always' },
    {
      name: 'poller',
      image: 'runner',
      env: [
        { name: 'TUIST_RUNNER_POOL', value: 'linux' },
        { name: 'TUIST_RUNNER_POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
      ],
      volumeMounts: [{ name: token.name, mountPath: '/var/run/secrets/tuist-runner' }],
    },
  ],
  containers: [{ name: 'runner', image: 'runner' }],
};

const macSpec = {
  nodeSelector: { 'kubernetes.io/os': 'darwin', 'tuist.dev/runtime': 'tart', 'tuist.dev/fleet': 'macs' },
  tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists', effect: 'NoSchedule' }],
  containers: [{ name: 'runner', image: 'vm' }],
};

async function statusOf(name: string) {
  const { status = {} } = await client.get(pods, { namespace, name });
  const states = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map((one) => {
    const { terminated, running: since } = one.state ?? {};
    const state =
      terminated === undefined ? (since === undefined ? 'waiting' : 'running') : terminated.exitCode;
    return [one.name, state] as const;
  });
  return { phase: status.phase, reason: status.reason, states: Object.fromEntries(states) };
}

function running(container: string, pod?: string): Started {
  const found = started.find(
    (one) => one.container.name === container && (pod === undefined || one.pod === pod),
  );
  if (found === undefined) throw new Error(`${container} was not started`);
  return found;
}

async function end(container: string, exit: ContainerEnd): Promise<void> {
  running(container).end(exit);
  await clock.settle();
  await clock.pass(1000);
}

async function remove(pod: Pod): Promise<void> {
  await client.delete(pods, { namespace, name: pod.metadata.name }, { uid: pod.metadata.uid });
  await clock.pass(1000);
}

it('a Node has the labels and the room of its kind, is ready, and renews its Lease', async () => {
  const agent = await agentOf(mac);
  const { metadata, spec, status } = await client.get(nodes, { name: 'mac-1' });
  expect(metadata.labels).toMatchObject({
    'kubernetes.io/os': 'darwin',
    'kubernetes.io/arch': 'arm64',
    'tuist.dev/runtime': 'tart',
    'tuist.dev/fleet': 'macs',
  });
  expect(spec?.taints?.map(({ key }) => key)).toEqual(['tuist.dev/macos']);
  expect(status?.allocatable).toMatchObject({ cpu: '12', pods: '2' });
  expect(status?.conditions?.map(({ type, status: value }) => `${type} ${value}`)).toEqual([
    'Ready True',
    'MemoryPressure False',
    'DiskPressure False',
    'PIDPressure False',
  ]);
  const place = { namespace: 'kube-node-lease', name: 'mac-1' };
  await clock.pass(11_000);
  const first = await client.get(leases, place);
  await clock.pass(10_000);
  expect((await client.get(leases, place)).spec?.renewTime).not.toBe(first.spec?.renewTime);
  await agent.stop();
});

it('a Node that was deleted is made again', async () => {
  const agent = await agentOf(linux);
  await clock.pass(11_000);
  const { metadata } = await client.get(nodes, { name: 'linux-1' });
  await client.delete(nodes, { name: 'linux-1' }, { uid: metadata.uid });
  await clock.pass(30_000);
  expect((await client.get(nodes, { name: 'linux-1' })).metadata.uid).not.toBe(metadata.uid);
  await agent.stop();
});

it('a Linux Pod is Pending while it polls, Running while its runner runs, and then over', async () => {
  const agent = await agentOf(linux);
  const pod = await makePod('a', linuxSpec);
  expect(await statusOf('a')).toMatchObject({
    phase: 'Pending',
    states: { dind: 'running', poller: 'running', runner: 'waiting' },
  });
  expect(running('poller').container.env).toEqual({
    TUIST_RUNNER_POOL: 'linux',
    TUIST_RUNNER_POD_UID: pod.metadata.uid,
  });
  await end('poller', { exitCode: 0 });
  expect(await statusOf('a')).toMatchObject({ phase: 'Running', states: { poller: 0, runner: 'running' } });
  expect(running('dind').signals.term.aborted).toBe(false);
  running('runner').end({ exitCode: 3, log: 'it broke' });
  await clock.pass(1000);
  // Its sidecars are told to end when the runner has.
  expect(running('dind').signals.term.aborted).toBe(true);
  await end('dind', { exitCode: 143 });
  expect(await statusOf('a')).toMatchObject({ phase: 'Failed', states: { dind: 143, poller: 0, runner: 3 } });
  const { status } = await client.get(pods, { namespace, name: 'a' });
  expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
    reason: 'Error',
    message: 'it broke',
  });
  expect(status?.conditions?.map(({ type }) => type)).toContain('PodScheduled');
  expect(started.map(({ container }) => container.name)).toEqual(['dind', 'poller', 'runner']);
  await agent.stop();
});

it('a runner that ends with 0 leaves a Pod that succeeded; a poller that fails lets no runner begin', async () => {
  const agent = await agentOf(linux);
  const { initContainers, ...rest } = linuxSpec;
  const spec = { ...rest, initContainers: initContainers.slice(1) };
  await makePod('a', spec);
  await end('poller', { exitCode: 0 });
  await end('runner', { exitCode: 0 });
  expect(await statusOf('a')).toMatchObject({ phase: 'Succeeded', states: { poller: 0, runner: 0 } });
  started = [];
  await makePod('b', spec);
  await end('poller', { exitCode: 1 });
  expect(await statusOf('b')).toMatchObject({ phase: 'Failed', states: { poller: 1, runner: 'waiting' } });
  expect(started).toHaveLength(1);
  await agent.stop();
});

it('a Mac runs its one container from the first moment, and two Pods at most', async () => {
  const agent = await agentOf(mac);
  for (const name of ['a', 'b', 'c']) await makePod(name, macSpec);
  expect(await statusOf('a')).toMatchObject({ phase: 'Running', states: { runner: 'running' } });
  expect(started.map(({ pod }) => pod)).toEqual(['a', 'b']);
  running('runner', 'a').end({ exitCode: 0 });
  await clock.settle();
  await clock.pass(1000);
  expect(started.map(({ pod }) => pod)).toEqual(['a', 'b', 'c']);
  await agent.stop();
});

it('only who mounts the token has it, it is bound to the Pod, and it is renewed before it runs out', async () => {
  const agent = await agentOf(linux);
  const pod = await makePod('a', linuxSpec);
  expect(running('dind').container.token).toBeUndefined();
  const first = await running('poller').container.token?.();
  const review = { spec: { token: first?.reveal(), audiences: ['tuist-runners-dispatch'] } };
  expect(await client.review(tokenReviews, review)).toMatchObject({
    status: {
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:a',
        extra: { 'authentication.kubernetes.io/pod-uid': [pod.metadata.uid] },
      },
    },
  });
  expect((await running('poller').container.token?.())?.reveal()).toBe(first?.reveal());
  await clock.pass(3000 * 1000);
  expect((await running('poller').container.token?.())?.reveal()).not.toBe(first?.reveal());
  await agent.stop();
});

it('a Pod that is deleted is told to end, and goes when it has', async () => {
  const agent = await agentOf(linux);
  const pod = await makePod('a', linuxSpec);
  await remove(pod);
  const { signals } = running('poller');
  expect([signals.term.aborted, signals.kill.aborted]).toEqual([true, false]);
  await end('poller', { exitCode: 0 });
  expect(await client.find(pods, { namespace, name: 'a' })).toBeDefined();
  await end('dind', { exitCode: 0 });
  expect(await client.find(pods, { namespace, name: 'a' })).toBeUndefined();
  expect(started.map(({ container }) => container.name)).toEqual(['dind', 'poller']);
  await agent.stop();
});

it('a Pod that does not end in its time is killed and goes', async () => {
  const agent = await agentOf(mac);
  const pod = await makePod('a', macSpec);
  await remove(pod);
  await clock.pass(28_000);
  expect(running('runner').signals.kill.aborted).toBe(false);
  await clock.pass(2000);
  expect(running('runner').signals.kill.aborted).toBe(true);
  expect(await client.find(pods, { namespace, name: 'a' })).toBeUndefined();
  await agent.stop();
});

it('a Pod that is deleted while its end is being written goes too', async () => {
  const agent = await agentOf(mac);
  const pod = await makePod('a', macSpec);
  transport.trouble = ({ method }) => (method === 'PATCH' ? 'refused' : undefined);
  await end('runner', { exitCode: 0 });
  await remove(pod);
  transport.trouble = () => undefined;
  await clock.pass(60_000);
  expect(await client.find(pods, { namespace, name: 'a' })).toBeUndefined();
  await agent.stop();
});

it('what runs in a Pod that was removed by force is killed, and its successor of the same name is begun', async () => {
  const agent = await agentOf(mac);
  const pod = await makePod('a', macSpec);
  await client.delete(pods, { namespace, name: 'a' }, { uid: pod.metadata.uid, graceSeconds: 0 });
  const place = { namespace, name: 'a' };
  await client.delete(serviceAccounts, place, {
    uid: (await client.get(serviceAccounts, place)).metadata.uid,
  });
  await makePod('a', macSpec);
  expect(started.map(({ signals }) => signals.kill.aborted)).toEqual([true, false]);
  expect(await statusOf('a')).toMatchObject({ phase: 'Running' });
  await agent.stop();
});

it('an agent that comes after a crash runs nothing again: what was running has failed, the rest begins', async () => {
  const first = await agentOf(mac);
  await makePod('a', macSpec);
  await first.stop();
  expect(await statusOf('a')).toMatchObject({ phase: 'Running' });
  await makePod('b', macSpec);
  started = [];
  const second = await agentOf(mac);
  expect(await statusOf('a')).toMatchObject({
    phase: 'Failed',
    reason: 'AgentRestarted',
    states: { runner: 137 },
  });
  expect(started.map(({ pod }) => pod)).toEqual(['b']);
  await second.stop();
});

it('nothing runs before the server has stored that the Pod was taken up', async () => {
  const agent = await agentOf(mac);
  transport.trouble = ({ method }) => (method === 'PATCH' ? 'refused' : undefined);
  await makePod('a', macSpec);
  await clock.pass(60_000);
  expect(started).toEqual([]);
  transport.trouble = () => undefined;
  await clock.pass(60_000);
  expect(started).toHaveLength(1);
  await agent.stop();
});

it('answers that are lost make nothing run twice', async () => {
  const agent = await agentOf(mac);
  let lost = 0;
  transport.trouble = ({ method, path }) =>
    method === 'PATCH' && path.endsWith('/a/status') && (lost += 1) % 2 === 1 ? 'lost' : undefined;
  await makePod('a', macSpec);
  await clock.pass(10_000);
  await end('runner', { exitCode: 0 });
  await clock.pass(10_000);
  expect(lost).toBeGreaterThan(2);
  expect(started).toHaveLength(1);
  expect(await statusOf('a')).toMatchObject({ phase: 'Succeeded' });
  await agent.stop();
});

it('what a dead agent sent long ago and lands late is put right', async () => {
  const first = await agentOf(mac);
  await makePod('a', macSpec);
  const late = await client.get(pods, { namespace, name: 'a' });
  await first.stop();
  const second = await agentOf(mac);
  expect(await statusOf('a')).toMatchObject({ phase: 'Failed' });
  const place = { namespace, name: 'a', subresource: 'status' };
  await client.patch(pods, place, { merge: { status: late.status } });
  await clock.pass(1000);
  expect(await statusOf('a')).toMatchObject({ phase: 'Failed', states: { runner: 137 } });
  await second.stop();
  const third = await agentOf(mac);
  await client.patch(pods, place, { merge: { status: late.status } });
  await clock.pass(1000);
  expect(await statusOf('a')).toMatchObject({ phase: 'Failed', states: { runner: 137 } });
  await third.stop();
});

it('what lands late while it is being put right is put right as well', async () => {
  const agent = await agentOf(mac);
  await makePod('a', macSpec);
  const late = await client.get(pods, { namespace, name: 'a' });
  // Answers to the agent that say how the Pod ended are on their way for as long as the test says.
  let answered = Promise.withResolvers<void>();
  const isEnd = (): boolean => JSON.stringify(transport.requests.at(-1)).includes('Succeeded');
  transport.way = () => (isEnd() ? answered.promise : Promise.resolve());
  await end('runner', { exitCode: 0 });
  for (let times = 0; times < 2; times += 1) {
    await clock.pass(1000);
    expect(await statusOf('a')).toMatchObject({ phase: 'Succeeded' });
    await client.patch(
      pods,
      { namespace, name: 'a', subresource: 'status' },
      { merge: { status: late.status } },
    );
    await clock.pass(1000);
    expect(await statusOf('a')).toMatchObject({ phase: 'Running' });
    const { resolve } = answered;
    answered = Promise.withResolvers<void>();
    resolve();
  }
  await clock.pass(1000);
  expect(await statusOf('a')).toMatchObject({ phase: 'Succeeded', states: { runner: 0 } });
  answered.resolve();
  await agent.stop();
});

it('the Lease is renewed while a status write hangs', async () => {
  const agent = await agentOf(mac);
  await clock.pass(11_000);
  const place = { namespace: 'kube-node-lease', name: 'mac-1' };
  const hung = Promise.withResolvers<void>();
  const isStatus = (): boolean => transport.requests.at(-1)?.path.endsWith('/status') === true;
  transport.way = () => (isStatus() ? hung.promise : Promise.resolve());
  await makePod('a', macSpec);
  const before = (await client.get(leases, place)).spec?.renewTime;
  await clock.pass(10_000);
  expect((await client.get(leases, place)).spec?.renewTime).not.toBe(before);
  hung.resolve();
  await agent.stop();
});

it('an agent attaches to the Pod that an earlier agent began, where the driver kept its containers', async () => {
  const first = await agentOf(mac);
  await makePod('a', macSpec);
  await first.stop();
  isKnown = true;
  const second = await agentOf(mac);
  expect(await statusOf('a')).toMatchObject({ phase: 'Running' });
  started.at(-1)?.end({ exitCode: 0 });
  await clock.pass(1000);
  expect(await statusOf('a')).toMatchObject({ phase: 'Succeeded', states: { runner: 0 } });
  await second.stop();
});

it('ends Pods that were deleted while no agent ran, once all Pods are known', async () => {
  const present: string[][] = [];
  const removeOtherPods = async (uids: ReadonlySet<string>): Promise<void> => void present.push([...uids]);
  const first = await agentOf(mac);
  const pod = await makePod('a', macSpec);
  await first.stop();
  const second = await agentOf(mac, { removeOtherPods });
  expect(present).toEqual([[pod.metadata.uid]]);
  await second.stop();
});
