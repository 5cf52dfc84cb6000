/** All workers together on two replicas: what a crash leaves behind is repaired within the documented times. */
import { loggerTo } from '../../../lab/harness/logger-to.ts';
import { beforeEach, expect, it } from 'vitest';
import { minute, RecoveryHarness, seenPod } from '../../../lab/harness/recovery-harness.ts';
import { PromMetrics } from '../../platform/process/prom-metrics.ts';
import { linux, noon, podOf } from '../../../lab/contracts/store/harness.ts';
import type { PodRef } from '../store/rows.ts';
import { graceMs, type EndedPod } from './pods/ended-pods.ts';
import { RecoveryRunner, type RecoveryOptions } from './recovery.ts';
import { usualRecovery } from './recovery-defaults.ts';
import { workerNames } from './scheduler/worker-names.ts';
import { recoveryKinds } from './scheduler/worker.ts';

let harness: RecoveryHarness;
/** Log lines per replica. */
let metrics: PromMetrics[];
let reported: string[];
beforeEach(async () => {
  harness = new RecoveryHarness();
  metrics = [];
  reported = [];
  await harness.install();
});

function recovery(other: Partial<RecoveryOptions> = {}): RecoveryRunner {
  const { store, pods, github, clock, restAfterLoss } = harness.ports;
  const logger = loggerTo(({ level, message }) => {
    if (level === 'info' || level === 'warn') reported.push(message);
  });
  const pools = () => [
    { name: 'linux', dispatchLabel: 'tuist-linux', runnerLabels: ['self-hosted'], shape: linux },
  ];
  const ports = {
    store,
    pods,
    github,
    clock,
    newId: () => harness.newId(),
    restAfterLoss,
    random: { next: () => 0 },
    logger,
    pools,
  };
  const own = new PromMetrics();
  metrics.push(own);
  const made = new RecoveryRunner({ ...usualRecovery, ...other }, { ...ports, metrics: own });
  made.start();
  return made;
}

async function ended(pod: PodRef): Promise<EndedPod> {
  return { pod, jobs: await harness.store.podStopped({ pod, at: noon, ending: undefined }) };
}

async function counted(name: string): Promise<string> {
  const texts = await Promise.all(metrics.map(async (own) => own.text()));
  const lines = texts.join('\n').split('\n');
  return lines.filter((line) => line.startsWith(name)).join('\n');
}

it('a deploy during a poll delays the job by five minutes and a tick, and the Pod by two ticks more', async () => {
  recovery();
  recovery();
  const id = await harness.queueJob();
  await harness.claim('a');
  harness.pods.add(seenPod('a', { stampedAt: noon }), seenPod('z', { isStamped: false }));
  await harness.clock.pass(5 * minute);
  expect((await harness.job(id)).state).toBe('claimed');
  await harness.clock.pass(minute);
  expect((await harness.job(id)).state).toBe('queued');
  await harness.clock.pass(2 * minute);
  expect(harness.pods.all.has(podOf('a').uid)).toBe(false);
  const kinds = await harness.outcomes();
  expect(kinds).toEqual([
    'stale_claim: released',
    'orphaned_stamped_pod: retired',
    'orphaned_stamped_pod: deleted',
  ]);
  expect(await counted('tuist_runners_recovery_count')).toContain('kind="orphaned_stamped_pod"} 1');
  const stranded = await counted('tuist_runners_recovery_stranded_time_milliseconds');
  expect(stranded).toMatch(/_bucket\{le="300000",kind="stale_claim"\} 0\n/u);
  expect(stranded).toMatch(/_bucket\{le="600000",kind="stale_claim"\} 1\n/u);
  expect(stranded).toContain('_count{kind="orphaned_stamped_pod"} 1');
});

const crowd = Array.from({ length: 28 }, (_, index) => `leaked-${index}`);

it('28 orphaned stamped Pods are gone two minutes after the grace period', async () => {
  recovery();
  // Without any claim or session, three such Pods would make the database doubtful.
  await harness.queueJob();
  await harness.serve('at-work');
  harness.pods.add(...crowd.map((name) => seenPod(name)));
  await harness.clock.pass(5 * minute);
  expect(harness.pods.all.size).toBe(29);
  await harness.clock.pass(2 * minute);
  expect(harness.pods.names()).toBe('at-work');
});

it('28 Pods of interrupted dispatches are gone two minutes after the release of their claims', async () => {
  recovery();
  const { accountId } = harness;
  await harness.store.setLimit({ accountId, platform: 'linux', vcpus: 1000, memoryGb: 1000 });
  for (const name of crowd) {
    await harness.queueJob();
    await harness.claim(name);
  }
  harness.pods.add(seenPod('free', { isStamped: false }), ...crowd.map((name) => seenPod(name)));
  await harness.clock.pass(6 * minute);
  expect(await harness.store.claims()).toEqual([]);
  await harness.clock.pass(2 * minute);
  expect(harness.pods.names()).toBe('free');
});

it('registrations never handed out are gone within five minutes', async () => {
  recovery();
  recovery();
  await harness.queueJob();
  const { runnerName } = await harness.serve('linux-runner-00000001');
  harness.pods.add(seenPod('linux-runner-00000002', { isStamped: false }));
  const register = async (name: string) =>
    harness.github.register({ ...harness.tenant, name, labels: ['x'], workFolder: '/' });
  // Of a polling Pod, of a Pod with another registration, and of Pods that are gone.
  await register('linux-runner-00000002-0000aaaa');
  await register('linux-runner-00000001-0000aaaa');
  for (let index = 10; index < 30; index += 1) await register(`linux-runner-000000${index}-0000aaaa`);
  await harness.clock.pass(5 * minute);
  expect(harness.site.hall.all.map(({ name }) => name)).toEqual([runnerName]);
});

it('the job of a Pod reported as stopped is reconciled soon', async () => {
  const one = recovery();
  const id = await harness.queueJob();
  const { claim } = await harness.serve('a');
  one.podEnded(await ended(claim.pod));
  await harness.clock.pass(graceMs);
  expect((await harness.job(id)).state).toBe('queued');
  expect(await counted('tuist_runners_recovery_count')).toContain('kind="pod_stop_recovery_scheduled"} 1');
});

it('the job of an ended Pod is reconciled by another replica within two minutes when the first stops', async () => {
  const stopping = recovery();
  recovery();
  const id = await harness.queueJob();
  const { claim, runnerName } = await harness.serve('a');
  harness.pods.add(seenPod('z', { isStamped: false }));
  await harness.store.apply({ kind: 'start', job: harness.draftOf(id), runnerName, at: noon });
  const atGitHub = harness.site.board.job(id);
  if (atGitHub !== undefined) harness.site.board.end(atGitHub, 'success');
  stopping.podEnded(await ended(claim.pod));
  await stopping.stop();
  await harness.clock.pass(2 * minute);
  expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'success' });
});

it('a failed look is logged, does not stop the others, and a later run repairs the job', async () => {
  const one = recovery();
  const ids = [await harness.queueJob(), await harness.queueJob()];
  for (const name of ['a', 'b']) {
    const { claim } = await harness.serve(name);
    one.podEnded(await ended(claim.pod));
  }
  harness.site.throttle.begin(2 * minute, 'primary');
  await harness.clock.pass(graceMs + 1000);
  expect(reported.filter((line) => line.includes('failed to reconcile job of ended Pod'))).toHaveLength(2);
  await harness.clock.pass(5 * minute);
  for (const id of ids) expect((await harness.job(id)).state).toBe('queued');
});

it('a paused worker does nothing, and the others run', async () => {
  recovery({ paused: ['stale-claims'] });
  const id = await harness.queueJob();
  await harness.claim('a');
  await harness.clock.pass(9 * minute);
  expect((await harness.job(id)).state).toBe('claimed');
  expect((await harness.store.leases()).map(({ worker }) => worker)).not.toContain('stale-claims');
  expect(await counted('muster_recovery_last_good_seconds')).toContain('worker="stale-claims"} 540');
});

it('every kind of repair has a counter from the start, and every worker a period', async () => {
  recovery();
  const repairs = await counted('tuist_runners_recovery_count');
  expect(repairs.split('\n').filter((line) => line.endsWith('} 0'))).toHaveLength(recoveryKinds.length);
  expect(await counted('muster_recovery_period_seconds')).toContain('worker="housekeeping"} 3600');
});

it('the age of the last success of each worker is measured, and each failure counted', async () => {
  recovery();
  harness.store.claims = async () => Promise.reject(new Error('the database is away'));
  await harness.clock.pass(2 * minute + 1000);
  expect(await counted('muster_recovery_failures_total')).toContain('worker="stale-claims"} 4');
  expect(await counted('muster_recovery_last_good_seconds')).toContain('worker="stale-claims"} 121');
  expect(await counted('muster_recovery_last_good_seconds')).toContain('worker="orphaned-runners"} 56');
});

it('every worker runs within an hour and a minute', async () => {
  recovery();
  await harness.clock.pass(61 * minute);
  const ran = (await harness.store.leases()).filter(({ goodAt }) => goodAt !== undefined);
  expect(ran.map(({ worker }) => worker).filter((name) => !name.includes('/'))).toEqual(
    [...workerNames].toSorted(),
  );
});
