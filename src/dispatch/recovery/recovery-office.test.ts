/** All workers together on two replicas, in the time of a test: what a crash leaves behind is gone when the page says so. */
import { beforeEach, expect, it } from 'vitest';
import { minute, RecoveryStand, seenPod } from '../../../test/recovery-stand.ts';
import type { Logger } from '../../runtime/logger.ts';
import { PromMetrics } from '../../runtime/process/prom-metrics.ts';
import { linux, noon, podOf } from '../store/contract/stage.ts';
import type { PodRef } from '../store/rows.ts';
import { graceMs, type EndedPod } from './ended-pods.ts';
import { RecoveryOffice, type RecoveryOptions } from './recovery-office.ts';
import { usualRecovery } from './usual-recovery.ts';
import { workerNames } from './worker-names.ts';
import { recoveryKinds } from './worker.ts';

let stand: RecoveryStand;
/** Of each replica. */
let metrics: PromMetrics[];
let told: string[];
beforeEach(async () => {
  stand = new RecoveryStand();
  metrics = [];
  told = [];
  await stand.install();
});

function office(other: Partial<RecoveryOptions> = {}): RecoveryOffice {
  const { store, pods, github, clock, restAfterLoss } = stand.ports;
  const silent = (): void => undefined;
  const logger: Logger = {
    debug: silent,
    error: silent,
    fatal: silent,
    info: (message) => void told.push(message),
    warn: (message) => void told.push(message),
    child: () => logger,
  };
  const pools = () => [
    { name: 'linux', dispatchLabel: 'tuist-linux', runnerLabels: ['self-hosted'], shape: linux },
  ];
  const ports = {
    store,
    pods,
    github,
    clock,
    newId: () => stand.newId(),
    restAfterLoss,
    random: { next: () => 0 },
    logger,
    pools,
  };
  const own = new PromMetrics();
  metrics.push(own);
  const made = new RecoveryOffice({ ...usualRecovery, ...other }, { ...ports, metrics: own });
  made.start();
  return made;
}

async function ended(pod: PodRef): Promise<EndedPod> {
  return { pod, jobs: await stand.store.podStopped({ pod, at: noon, ending: undefined }) };
}

async function counted(name: string): Promise<string> {
  const texts = await Promise.all(metrics.map(async (own) => own.text()));
  const lines = texts.join('\n').split('\n');
  return lines.filter((line) => line.startsWith(name)).join('\n');
}

it('a deploy in the middle of a poll costs the job five minutes and a tick, and the Pod two ticks more', async () => {
  office();
  office();
  const id = await stand.queueJob();
  await stand.claim('a');
  stand.pods.add(seenPod('a', { stampedAt: noon }), seenPod('z', { isStamped: false }));
  await stand.clock.pass(5 * minute);
  expect((await stand.job(id)).state).toBe('claimed');
  await stand.clock.pass(minute);
  expect((await stand.job(id)).state).toBe('queued');
  await stand.clock.pass(2 * minute);
  expect(stand.pods.all.has(podOf('a').uid)).toBe(false);
  const kinds = await stand.outcomes();
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

it('28 Pods that were left stamped are gone two minutes after the grace', async () => {
  office();
  // Without any claim or session three of them would be doubtful.
  await stand.queueJob();
  await stand.serve('at-work');
  stand.pods.add(...crowd.map((name) => seenPod(name)));
  await stand.clock.pass(5 * minute);
  expect(stand.pods.all.size).toBe(29);
  await stand.clock.pass(2 * minute);
  expect(stand.pods.names()).toBe('at-work');
});

it('28 Pods whose dispatches were cut off are gone two minutes after their claims were given back', async () => {
  office();
  const { accountId } = stand;
  await stand.store.setLimit({ accountId, platform: 'linux', vcpus: 1000, memoryGb: 1000 });
  for (const name of crowd) {
    await stand.queueJob();
    await stand.claim(name);
  }
  stand.pods.add(seenPod('free', { isStamped: false }), ...crowd.map((name) => seenPod(name)));
  await stand.clock.pass(6 * minute);
  expect(await stand.store.claims()).toEqual([]);
  await stand.clock.pass(2 * minute);
  expect(stand.pods.names()).toBe('free');
});

it('registrations that were made and never handed out are gone within five minutes', async () => {
  office();
  office();
  await stand.queueJob();
  const { runnerName } = await stand.serve('linux-runner-00000001');
  stand.pods.add(seenPod('linux-runner-00000002', { isStamped: false }));
  const register = async (name: string) =>
    stand.github.register({ ...stand.tenant, name, labels: ['x'], workFolder: '/' });
  // Of a Pod that polls on, of one that was handed another, and of Pods that are gone.
  await register('linux-runner-00000002-0000aaaa');
  await register('linux-runner-00000001-0000aaaa');
  for (let index = 10; index < 30; index += 1) await register(`linux-runner-000000${index}-0000aaaa`);
  await stand.clock.pass(5 * minute);
  expect(stand.site.hall.all.map(({ name }) => name)).toEqual([runnerName]);
});

it('the job of a Pod that was reported stopped is looked at soon', async () => {
  const one = office();
  const id = await stand.queueJob();
  const { claim } = await stand.serve('a');
  one.podEnded(await ended(claim.pod));
  await stand.clock.pass(graceMs);
  expect((await stand.job(id)).state).toBe('queued');
  expect(await counted('tuist_runners_recovery_count')).toContain('kind="pod_stop_recovery_scheduled"} 1');
});

it('the job of a Pod that ended is looked at by another replica within two minutes when the first one stops', async () => {
  const stopping = office();
  office();
  const id = await stand.queueJob();
  const { claim, runnerName } = await stand.serve('a');
  stand.pods.add(seenPod('z', { isStamped: false }));
  await stand.store.apply({ kind: 'start', job: stand.draftOf(id), runnerName, at: noon });
  const atGitHub = stand.site.board.job(id);
  if (atGitHub !== undefined) stand.site.board.end(atGitHub, 'success');
  stopping.podEnded(await ended(claim.pod));
  await stopping.stop();
  await stand.clock.pass(2 * minute);
  expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'success' });
});

it('a look that fails is told, keeps no other, and a later turn makes it good', async () => {
  const one = office();
  const ids = [await stand.queueJob(), await stand.queueJob()];
  for (const name of ['a', 'b']) {
    const { claim } = await stand.serve(name);
    one.podEnded(await ended(claim.pod));
  }
  stand.site.throttle.begin(2 * minute, 'primary');
  await stand.clock.pass(graceMs + 1000);
  expect(told.filter((line) => line.includes('a job whose Pod has ended'))).toHaveLength(2);
  await stand.clock.pass(5 * minute);
  for (const id of ids) expect((await stand.job(id)).state).toBe('queued');
});

it('a worker that is paused does nothing, the others go on', async () => {
  office({ paused: ['stale-claims'] });
  const id = await stand.queueJob();
  await stand.claim('a');
  await stand.clock.pass(9 * minute);
  expect((await stand.job(id)).state).toBe('claimed');
  expect((await stand.store.turns()).map(({ worker }) => worker)).not.toContain('stale-claims');
  expect(await counted('muster_recovery_last_good_seconds')).toContain('worker="stale-claims"} 540');
});

it('of every kind of repair there is a count from the start, and of every worker how often it should run', async () => {
  office();
  const repairs = await counted('tuist_runners_recovery_count');
  expect(repairs.split('\n').filter((line) => line.endsWith('} 0'))).toHaveLength(recoveryKinds.length);
  expect(await counted('muster_recovery_period_seconds')).toContain('worker="housekeeping"} 3600');
});

it('how long ago each worker did well is measured, and each failure counted', async () => {
  office();
  stand.store.claims = async () => Promise.reject(new Error('the database is away'));
  await stand.clock.pass(2 * minute + 1000);
  expect(await counted('muster_recovery_failures_total')).toContain('worker="stale-claims"} 4');
  expect(await counted('muster_recovery_last_good_seconds')).toContain('worker="stale-claims"} 121');
  expect(await counted('muster_recovery_last_good_seconds')).toContain('worker="orphaned-runners"} 56');
});

it('every worker has its turn within an hour and a minute', async () => {
  office();
  await stand.clock.pass(61 * minute);
  const ran = (await stand.store.turns()).filter(({ goodAt }) => goodAt !== undefined);
  expect(ran.map(({ worker }) => worker).filter((name) => !name.includes('/'))).toEqual(
    [...workerNames].toSorted(),
  );
});
