/** A job from its webhook to its end, run by the shipped programs in a real shell, on Linux and on a Mac. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { labels } from '../../src/api/names/labels.ts';
import { pods, serviceAccounts, type Pod } from '../../src/kube/client/builtin-resources.ts';
import type { Resource } from '../../src/kube/client/kube-object.ts';
import { GuestFleet, namespace } from './guest-fleet.ts';

/** Webhooks of the simulated GitHub are delayed, like the real ones. */
const patience = { timeout: 300_000, interval: 50 };
const namespaces: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
const pools: Resource = {
  group: 'tuist.dev',
  version: 'v1alpha1',
  plural: 'runnerpools',
  kind: 'RunnerPool',
  namespaced: true,
};

let fixture: GuestFleet;
beforeAll(async () => {
  fixture = await GuestFleet.open();
  await fixture.client.create(
    namespaces,
    {},
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  );
  await fixture.control('account', { login: 'octo-org', repositories: ['app'] });
  await fixture.control('timing', {
    deliveryMs: { least: 1, most: 20 },
    placementMs: { least: 1, most: 20 },
  });
});
afterAll(() => fixture?.close());

const platforms = {
  linux: {
    runnerLabels: ['self-hosted', 'Linux', 'X64'],
    node: { name: 'linux-1', os: 'linux', fleet: 'runners-linux', cpus: 16, memoryMb: 65_536 },
  },
  darwin: {
    runnerLabels: ['self-hosted', 'macOS', 'ARM64'],
    node: { name: 'mac-1', os: 'darwin', fleet: 'macs', cpus: 12, memoryMb: 28_672 },
  },
} as const;
type Platform = keyof typeof platforms;

async function makePool(os: Platform): Promise<void> {
  const { runnerLabels, node } = platforms[os];
  const spec = {
    image: 'runner@sha256:1',
    fleetSelector: node.fleet,
    dispatchLabel: `tuist-${os}`,
    runnerLabels,
    os,
  };
  const pool = { apiVersion: 'tuist.dev/v1alpha1', kind: 'RunnerPool', metadata: { name: os }, spec };
  await fixture.client.create(pools, { namespace }, pool);
}

function specOf(os: Platform, url: string): object {
  const env = [
    { name: 'TUIST_RUNNER_DISPATCH_URL', value: url },
    { name: 'TUIST_RUNNER_POOL', value: os },
    { name: 'TUIST_RUNNER_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ];
  const runner = { name: 'runner', image: 'runner@sha256:1' };
  if (os === 'darwin')
    return {
      nodeSelector: { 'kubernetes.io/os': 'darwin', 'tuist.dev/fleet': 'macs' },
      tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists', effect: 'NoSchedule' }],
      containers: [{ ...runner, env }],
    };
  const source = {
    serviceAccountToken: { audience: 'tuist-runners-dispatch', expirationSeconds: 3600, path: 'token' },
  };
  return {
    nodeSelector: { 'kubernetes.io/os': 'linux', 'node.cluster.x-k8s.io/pool': 'runners-linux' },
    tolerations: [{ key: 'tuist.dev/runner-tier', value: 'bare-metal', effect: 'NoSchedule' }],
    automountServiceAccountToken: false,
    volumes: [{ name: 'token', projected: { sources: [source] } }],
    initContainers: [
      {
        name: 'poller',
        image: runner.image,
        env,
        volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/tuist-runner' }],
      },
    ],
    containers: [runner],
  };
}

interface Marks {
  readonly account?: Readonly<Record<string, string>>;
  readonly pod?: Readonly<Record<string, string>>;
}

async function makePod(os: Platform, name: string, marks: Marks = {}): Promise<void> {
  const ofPool = { [labels.runnerPool.key]: os };
  const account = { metadata: { name, labels: marks.account ?? ofPool } };
  await fixture.client.create(serviceAccounts, { namespace }, account);
  const metadata = { name, labels: { ...ofPool, [labels.runner.key]: 'true', ...marks.pod } };
  const spec = { restartPolicy: 'Never', serviceAccountName: name, ...specOf(os, fixture.pollUrl) };
  await fixture.client.create(pods, { namespace }, { metadata, spec });
}

async function podOf(name: string): Promise<Pod> {
  return fixture.client.get(pods, { namespace, name });
}

function exitCodesOf({ status = {} }: Pod): readonly (number | undefined)[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(
    ({ state }) => state?.terminated?.exitCode,
  );
}

const idlePhase = { linux: 'Pending', darwin: 'Running' } as const;

it.each(['linux', 'darwin'] as const)(
  'a Pod polls for a job for %s, runs it to completion, and succeeds',
  async (os) => {
    await makePool(os);
    await fixture.addNode(platforms[os].node);
    const name = `${os}-runner-0a1b2c3d`;
    await makePod(os, name);
    await expect.poll(async () => (await podOf(name)).status?.phase, patience).toBe(idlePhase[os]);
    const order = { repository: 'octo-org/app', labels: ['self-hosted', `tuist-${os}`] };
    // Before its account and its pool are known dispatch would refuse the webhook, and GitHub does not repeat it.
    await expect.poll(async () => (await fixture.store.accounts()).length, patience).toBe(1);
    await expect.poll(() => fixture.pools().includes(os), patience).toBe(true);
    await fixture.control('job', order);
    await expect.poll(async () => (await podOf(name)).status?.phase, patience).toBe('Succeeded');
    expect(exitCodesOf(await podOf(name))).toEqual(os === 'linux' ? [0, 0] : [0]);
    await expect.poll(async () => (await fixture.store.claims()).length, patience).toBe(0);
    const session = (await fixture.store.openSessions()).find(({ pod }) => pod.name === name);
    const jobId = session?.jobId ?? '';
    await expect.poll(async () => (await fixture.store.job(jobId))?.state, patience).toBe('completed');
    expect(await fixture.store.job(jobId)).toMatchObject({ conclusion: 'success' });
  },
);

it('a Pod that is deleted during a poll is gone, and no job is lost', async () => {
  const name = 'linux-runner-deadbeef';
  fixture.output = '';
  await makePod('linux', name);
  await expect.poll(() => fixture.output.includes('no job yet'), patience).toBe(true);
  const { metadata } = await podOf(name);
  await fixture.client.delete(pods, { namespace, name }, { uid: metadata.uid });
  await expect.poll(() => fixture.client.find(pods, { namespace, name }), patience).toBeUndefined();
  expect(await fixture.store.claims()).toEqual([]);
});

it('a Pod that a person drains succeeds, without a job', async () => {
  const name = 'linux-runner-00000001';
  await makePod('linux', name, { pod: { [labels.runnerOperatorDrain.key]: 'true' } });
  await expect.poll(async () => (await podOf(name)).status?.phase, patience).toBe('Succeeded');
  expect(exitCodesOf(await podOf(name))).toEqual([0, 0]);
  expect(fixture.output).toContain('drained');
  expect(fixture.output).toContain('nothing to run');
});

it('an unknown Pod fails, and its runner never starts', async () => {
  const name = 'linux-runner-00000002';
  await makePod('linux', name, { account: {} });
  await expect.poll(async () => (await podOf(name)).status?.phase, patience).toBe('Failed');
  expect(exitCodesOf(await podOf(name))).toEqual([1, undefined]);
});
