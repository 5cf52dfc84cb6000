/**
 * Every use of manager and dispatch with runners: pools that follow demand and are drained, jobs that succeed and fail,
 * a new image, a Node that is removed, and stale stamps on Pods.
 */
import { expect } from 'vitest';
import { annotations } from '../../../src/api/names/annotations.ts';
import { labels } from '../../../src/api/names/labels.ts';
import { KubeRunnerPods } from '../../../src/dispatch/recovery/pods/kube-runner-pods.ts';
import { subjectOf } from '../../../src/dispatch/recovery/pods/stamped-pods.ts';
import { runnerPools } from '../../../src/runner-pools/state/runner-pool-objects.ts';
import { timeText } from '../../../src/platform/time-text.ts';
import { pods, serviceAccounts, type Pod } from '../../../src/kube/client/builtin-resources.ts';
import type { Repository } from '../../../lab/clouds/github/records.ts';
import { wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { namespace, type BusyHarness } from './busy-harness.ts';
import { linuxNode, makePool, orderJob, unfinished } from './workload.ts';

/** A refused step is never done, so the timeout is long. */
const patience = { timeout: 120_000, interval: 250 };
const jobCount = 2;
const newImage = 'example.com/runner@sha256:2';
const macFleet = 'runners-mac';
const hourMs = 3_600_000;

export async function liveThrough(fixture: BusyHarness, repository: Repository): Promise<void> {
  const removal = await keepOrphan(fixture, repository);
  await lifeOfLinux(fixture, repository);
  await lifeOfMacs(fixture);
  await removal();
  await drainPools(fixture);
}

function podsOf({ client }: BusyHarness, pool: string): Promise<readonly Pod[]> {
  const labelSelector = `${labels.runnerPool.key}=${pool}`;
  return client.listPage(pods, { namespace, labelSelector }).then(({ items }) => items);
}

function isPolling({ status, metadata }: Pod): boolean {
  const isGoing = metadata.deletionTimestamp !== undefined;
  return !isGoing && (status?.initContainerStatuses ?? []).some(({ state }) => state?.running !== undefined);
}

async function stamp(
  { client }: BusyHarness,
  { metadata }: Pod,
  { at, accountId }: { readonly at: number; readonly accountId: string },
): Promise<void> {
  const marks = {
    labels: { [labels.runnerPoolOwner.key]: 'nobody', [labels.runnerAccount.key]: accountId },
    annotations: { [annotations.stampedAt.key]: timeText(at), [annotations.stampedFor.key]: 'a lost claim' },
  };
  await client.patch(pods, { namespace, name: metadata.name }, { merge: { metadata: marks } });
}

/**
 * An unschedulable Pod, stamped for an account without its jobs: the recovery removes the Pod with its ServiceAccount.
 */
async function keepOrphan(fixture: BusyHarness, repository: Repository): Promise<() => Promise<void>> {
  const { client, store } = fixture;
  await makePool(fixture, 'lost', { replicas: 1, fleetSelector: 'nowhere', dispatchLabel: 'lost' });
  await expect.poll(async () => (await podsOf(fixture, 'lost')).length, patience).toBe(1);
  const [orphan] = await podsOf(fixture, 'lost');
  if (orphan === undefined) throw new Error('the Pod is gone');
  await stamp(fixture, orphan, { at: clock.now() - hourMs, accountId: repository.owner.id });
  // The state after a check a minute ago: the second check removes the Pod.
  const seen = await new KubeRunnerPods(client, namespace).list('stamped');
  await store.suspect('orphaned-stamped-pods', seen.map(subjectOf), clock.now() - hourMs);
  const { name } = orphan.metadata;
  return async () => {
    const left = async (): Promise<readonly unknown[]> => [
      await client.find(pods, { namespace, name }),
      await client.find(serviceAccounts, { namespace, name }),
    ];
    await expect.poll(left, patience).toEqual([undefined, undefined]);
  };
}

/** Scales up for jobs, the first of which fails, and down again; then idle Pods move to another Node. */
async function lifeOfLinux(fixture: BusyHarness, repository: Repository): Promise<void> {
  const { client, kube } = fixture;
  fixture.addNode(linuxNode('linux-0'));
  const autoscaling = {
    enabled: true,
    minWarmPoolFloor: 1,
    maxReplicas: 3,
    scaleDownCooldownSeconds: 0,
  };
  await makePool(fixture, 'linux', { autoscaling });
  const replicas = async (): Promise<number> =>
    (await client.get(runnerPools, { namespace, name: 'linux' })).spec.replicas;
  await expect.poll(replicas, patience).toBe(1);
  // In sequence: of several jobs GitHub gives a runner any matching job, and finding the rest takes minutes.
  for (let ordered = 0; ordered < jobCount; ordered += 1) {
    orderJob(fixture, repository);
    await expect.poll(() => unfinished(fixture), patience).toBe(0);
  }
  // Recent runs count for an hour.
  await expect.poll(replicas, patience).toBeGreaterThan(1);
  const fewer = { spec: { autoscaling: { maxReplicas: 1 } } };
  await client.patch(runnerPools, { namespace, name: 'linux' }, { merge: fewer });
  await expect.poll(replicas, patience).toBe(1);
  await untilPolling(fixture, 'linux-0');
  await forgottenMark(fixture, repository);

  fixture.addNode(linuxNode('linux-1'));
  await kube.mustKubectl(['cordon', 'linux-0']);
  await untilPolling(fixture, 'linux-1');
}

async function untilPolling(fixture: BusyHarness, node: string): Promise<void> {
  const nodes = async (): Promise<readonly unknown[]> =>
    (await podsOf(fixture, 'linux')).filter(isPolling).map(({ spec }) => spec?.nodeName);
  await expect.poll(nodes, patience).toEqual([node]);
}

/** A polling Pod with a stale stamp of an unknown claim: dispatch ends the Pod, and another takes its place. */
async function forgottenMark(fixture: BusyHarness, repository: Repository): Promise<void> {
  const idle = (await podsOf(fixture, 'linux')).find(isPolling);
  if (idle === undefined) throw new Error('no Pod polls');
  await stamp(fixture, idle, { at: clock.now(), accountId: repository.owner.id });
  const left = async (): Promise<Pod | undefined> =>
    fixture.client.find(pods, { namespace, name: idle.metadata.name });
  await expect.poll(left, patience).toBeUndefined();
  await untilPolling(fixture, 'linux-0');
}

/** A Pod with an old image ends at its next poll, because the virtual machine of a Mac is already running. */
async function lifeOfMacs(fixture: BusyHarness): Promise<void> {
  fixture.addNode({ name: 'mac-0', os: 'darwin', fleet: macFleet, cpus: 8, memoryMb: 16_384 });
  await makePool(fixture, 'macs', {
    replicas: 1,
    os: 'darwin',
    fleetSelector: macFleet,
    dispatchLabel: 'tuist-macos',
  });
  const images = async (): Promise<readonly unknown[]> =>
    (await podsOf(fixture, 'macs'))
      .filter(({ status }) => status?.phase === 'Running')
      .map(({ spec }) => spec?.containers[0]?.image);
  await expect.poll(images, patience).toHaveLength(1);
  const place = { namespace, name: 'macs' };
  await fixture.client.patch(runnerPools, place, { merge: { spec: { image: newImage } } });
  await expect.poll(images, patience).toEqual([newImage]);
}

async function drainPools({ kube, client }: BusyHarness): Promise<void> {
  await kube.mustKubectl(['-n', namespace, 'delete', 'runnerpools', '--all', '--timeout=120s']);
  const left = async (): Promise<number> =>
    (await client.listPage(pods, { namespace, labelSelector: labels.runnerPool.key })).items.length;
  await expect.poll(left, patience).toBe(0);
}
