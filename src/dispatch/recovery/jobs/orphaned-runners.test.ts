import { beforeEach, describe, expect, it } from 'vitest';
import {
  claimOn,
  minute,
  RecoveryHarness,
  seenPod,
  sessionOn,
} from '../../../../lab/harness/recovery-harness.ts';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import type { JobAtGitHub } from '../../github/port.ts';
import { newJob } from '../../store/model/tables.ts';
import { draft, noon } from '../../../../lab/contracts/store/harness.ts';
import type { Job } from '../../store/rows.ts';
import { decideJob, type JobLook } from './reconcile-job.ts';
import { decideOrphans, OrphanedRunners, orphanLimits, type OrphanLook } from './orphaned-runners.ts';

const at = noon + 10 * minute;
const running: Job = { ...newJob(draft('1'), 'running'), generation: 'g-a', claimedAt: noon };
const started: Job = { ...running, executor: 'runner-a', startedAt: noon };
const [claim, session] = [claimOn('a'), sessionOn('a')];
const [here, elsewhere] = [[seenPod('a')], [seenPod('z')]];

describe('GitHub is queried for a job', () => {
  const startedAgo = (ms: number): Job => ({ ...started, startedAt: at - ms });
  const young = { ...running, claimedAt: at - 299_000 };
  it.for<readonly [string, Partial<OrphanLook>, string | undefined]>([
    ['that was handed out long ago and not started', {}, 'aged_out'],
    ['that was handed out just now: not yet', { jobs: [young] }, undefined],
    ['whose Pod is gone', { pods: elsewhere }, 'pod_stopped'],
    ['whose Pod is gone, however young', { jobs: [young], pods: elsewhere }, 'pod_stopped'],
    ['while Pods cannot be listed: by its age', { pods: undefined }, 'aged_out'],
    ['while Pods cannot be listed, and it is young: not yet', { jobs: [young], pods: undefined }, undefined],
    ['while no Pod at all is listed: by its age', { pods: [] }, 'aged_out'],
    ['while no Pod at all is listed, and it is young: not yet', { jobs: [young], pods: [] }, undefined],
    ['whose Pod was reported stopped', { jobs: [young], claims: [], sessions: [] }, 'pod_stopped'],
    [
      'whose Pod is gone, while the Pod of another job is there',
      { jobs: [young], claims: [claimOn('z'), claim], sessions: [sessionOn('z'), session], pods: elsewhere },
      'pod_stopped',
    ],
    [
      'of which only the session is left, with its Pod gone, while the Pod of another job is there',
      { jobs: [young], claims: [], sessions: [sessionOn('z'), session], pods: elsewhere },
      'pod_stopped',
    ],
    ['of which only the session is left, with its Pod', { claims: [] }, 'aged_out'],
    ['that waits: no', { jobs: [{ ...running, state: 'queued' }] }, undefined],
    ['that is over: no', { jobs: [{ ...running, state: 'completed' }] }, undefined],
    ['that runs on one of our Pods: no', { jobs: [started] }, undefined],
    ['that one of our Pods began an hour ago: not yet', { jobs: [startedAgo(60 * minute)] }, undefined],
    ['that one of our Pods began more than an hour ago', { jobs: [startedAgo(60 * minute + 1)] }, 'at_work'],
    [
      'that one of our Pods began more than an hour ago, while Pods cannot be listed',
      { jobs: [startedAgo(61 * minute)], pods: undefined },
      'at_work',
    ],
    ['that ran on one of our Pods, now lost', { jobs: [started], pods: elsewhere }, 'unattended'],
    ['whose runner is not ours', { jobs: [{ ...started, executor: 'other' }] }, 'unattended'],
    [
      'whose runner has the same name as a runner of another account',
      { jobs: [started], sessions: [{ ...session, accountId: 'another' }] },
      'unattended',
    ],
    [
      'whose runner is not ours, and that has just begun: not yet',
      { jobs: [{ ...started, executor: 'other', startedAt: at - 1000 }] },
      undefined,
    ],
    [
      'that began just now, and whose Pod has ended half a minute ago',
      { jobs: [startedAgo(1000)], sessions: [], runnerSessions: [{ ...session, endedAt: at - 30_000 }] },
      'unattended',
    ],
    [
      'that began long ago, and whose Pod has just ended: not yet',
      { sessions: [], jobs: [started], runnerSessions: [{ ...session, endedAt: at - 29_999 }] },
      undefined,
    ],
    [
      'whose runner has the same name as an ended runner of another account: not yet',
      {
        jobs: [startedAgo(1000)],
        sessions: [],
        runnerSessions: [{ ...session, accountId: 'another', endedAt: noon }],
      },
      undefined,
    ],
  ])('%s', ([, other, expected]) => {
    const base = {
      at,
      jobs: [running],
      claims: [claim],
      sessions: [session],
      runnerSessions: [],
      pods: here,
    };
    const look = { ...base, ...other };
    expect(decideOrphans(look, orphanLimits)[0]?.reason).toBe(expected);
  });
});

describe('what follows from what GitHub says', () => {
  const reported: JobAtGitHub = {
    id: '1',
    status: 'queued',
    conclusion: undefined,
    runnerName: undefined,
    startedAt: undefined,
    completedAt: undefined,
  };
  const look: JobLook = { job: running, reason: 'aged_out', claim, runnerName: 'runner-a' };
  const busy = { ...claim, executedJobId: '2' };
  it.for<readonly [string, Partial<JobLook>, Partial<JobAtGitHub> | undefined, object]>([
    ['queued', {}, {}, { act: 'abandon', evidence: 'aged_out', needsRunnerGone: true }],
    ['queued, Pod gone', { reason: 'pod_stopped' }, {}, { act: 'abandon', needsRunnerGone: false }],
    ['queued, its runner has another job', { claim: busy }, {}, { act: 'none' }],
    [
      'queued, that runner and its Pod are gone',
      { claim: busy, reason: 'pod_stopped' },
      {},
      { act: 'abandon' },
    ],
    ['queued although it had begun', { job: started, reason: 'unattended' }, {}, { act: 'none' }],
    ['queued although one of our Pods has it', { job: started, reason: 'at_work' }, {}, { act: 'none' }],
    [
      'in progress on one of our Pods',
      { job: started, reason: 'at_work' },
      { status: 'in_progress', runnerName: 'runner-a' },
      { act: 'none' },
    ],
    [
      'in progress on a runner',
      {},
      { status: 'in_progress', runnerName: 'r', startedAt: 5 },
      { act: 'apply', kind: 'orphan_started', effect: { kind: 'start', runnerName: 'r', at: 5 } },
    ],
    [
      'in progress, already stored',
      { job: started },
      { status: 'in_progress', runnerName: 'r' },
      { act: 'none' },
    ],
    ['in progress without a runner', {}, { status: 'in_progress' }, { act: 'none' }],
    [
      'completed',
      {},
      { status: 'completed', runnerName: 'r', conclusion: 'failure', completedAt: 7 },
      {
        act: 'apply',
        kind: 'orphan_completed',
        effect: { kind: 'complete', end: { runnerName: 'r', conclusion: 'failure', at: 7 } },
      },
    ],
    ['nothing', {}, undefined, { act: 'suspect-gone' }],
    ['waiting', {}, { status: 'waiting' }, { act: 'none' }],
    ['an unknown status', {}, { status: 'other' }, { act: 'none' }],
  ])('%s', ([, of, says, expected]) => {
    expect(decideJob({ ...look, ...of }, says && { ...reported, ...says })).toMatchObject(expected);
  });
});

describe('the worker', () => {
  let harness: RecoveryHarness;
  let worker: OrphanedRunners;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    worker = new OrphanedRunners(harness.ports);
    await harness.install();
  });

  it('requeues the job of a runner that never started, and removes its registration', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.round(worker, 4 * minute);
    expect((await harness.job(id)).state).toBe('running');
    await harness.round(worker, 2 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'queued', generation: undefined });
    expect(await harness.store.claims()).toEqual([]);
    expect(await harness.outcomes()).toEqual(['orphan_requeued: requeued']);
    expect(() => harness.site.hall.start(served.jitConfig, script)).toThrow('no runner was registered');
    // The session stays open until the Pod has ended.
    expect((await harness.store.openSessions()).map(({ pod }) => pod.name)).toEqual(['a']);
    await expect(harness.claim('a')).rejects.toThrow('taken');
  });

  it('looks up the runner by name instead of listing the organisation', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    harness.github.runners = () => expect.unreachable('all runners were listed');
    await harness.round(worker, 6 * minute);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('leaves an online runner alone that has no job yet', async () => {
    stopPlacement(harness);
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.runFor(served, minute);
    await harness.round(worker, 10 * minute);
    expect((await harness.job(id)).state).toBe('running');
    expect(harness.site.hall.all).toHaveLength(1);
  });

  it('leaves a runner alone that is busy with a job without a webhook', async () => {
    const id = await harness.queueJob({ labels: ['of another pool'] });
    const served = await harness.serve('a');
    await harness.queueJob({ isKnown: false });
    await harness.runFor(served, 3_600_000);
    await harness.round(worker, 10 * minute);
    expect((await harness.job(id)).state).toBe('running');
    expect(await harness.store.claims()).toHaveLength(1);
    expect(harness.site.hall.all.map(({ state }) => state)).toEqual(['busy']);
    expect(harness.asked.filter((route) => route.startsWith('DELETE'))).toEqual([]);
  });

  it('leaves a job alone whose runner becomes busy during its removal', async () => {
    const id = await harness.queueJob({ labels: ['of another pool'] });
    await harness.serve('a');
    const removeRunner = harness.github.removeRunner.bind(harness.github);
    harness.github.removeRunner = async (...given) => {
      for (const runner of harness.site.hall.all) runner.state = 'busy';
      return removeRunner(...given);
    };
    await harness.round(worker, 10 * minute);
    expect((await harness.job(id)).state).toBe('running');
    expect(await harness.store.claims()).toHaveLength(1);
  });

  it('learns executor and conclusion of a job whose webhooks were lost', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.runFor(served, 20 * minute);
    await harness.round(worker, 10 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'running', executor: served.runnerName });
    // Its Pod ends, and the `completed` webhook is lost.
    await harness.clock.pass(15 * minute);
    harness.pods.all.clear();
    harness.pods.add(seenPod('z'));
    await harness.round(worker);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'success' });
    expect(await harness.store.claims()).toEqual([]);
    expect(harness.recovered).toEqual(['orphan_started', 'orphan_completed']);
  });

  it('completes a job whose Pod hangs and whose webhook was lost', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.runFor(served, 20 * minute);
    await harness.round(worker, 10 * minute);
    await harness.round(worker, 45 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'running', executor: served.runnerName });
    await harness.round(worker, 10 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'success' });
    expect(await harness.store.claims()).toEqual([]);
    // The worker that removes its Pod finds the Pod by this session.
    expect((await harness.store.openSessions()).map(({ pod }) => pod.name)).toEqual(['a']);
  });

  it('queries a job that runs on a live Pod once an hour, and changes nothing', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.runFor(served, 300 * minute);
    await harness.round(worker, 10 * minute);
    const before = [await harness.job(id), await harness.store.claims(), await harness.store.openSessions()];
    const { length } = harness.asked;
    for (let round = 0; round < 180; round += 1) await harness.round(worker);
    expect([await harness.job(id), await harness.store.claims(), await harness.store.openSessions()]).toEqual(
      before,
    );
    expect(before).toMatchObject([{ state: 'running' }, [{ state: 'running' }], [{ endedAt: undefined }]]);
    const asked = harness.asked.slice(length).filter((route) => !route.includes('access_tokens'));
    expect(asked).toEqual(Array.from({ length: 3 }, () => 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}'));
  });

  it('records a removal whose answer was lost', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    harness.loseRemovals();
    await expect(harness.round(worker, 6 * minute)).rejects.toThrow('the answer was lost');
    const [act] = await harness.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ kind: 'ghost_runner', outcome: 'unknown', pod: served.claim.pod });
    await harness.round(worker);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('ends a job of a live Pod that GitHub does not know after two looks, not after one', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.runFor(served, 300 * minute);
    await harness.round(worker, 10 * minute);
    const look = harness.github.job.bind(harness.github);
    let unknown = 1;
    harness.github.job = async (...given) => {
      if ((unknown -= 1) < 0) return look(...given);
      throw new FleetError('gone', { reason: 'NotFound', message: 'there is no such job' });
    };
    await harness.round(worker, 60 * minute);
    await harness.round(worker);
    expect((await harness.job(id)).state).toBe('running');
    unknown = 2;
    await harness.round(worker, 60 * minute);
    expect((await harness.job(id)).state).toBe('running');
    await harness.round(worker);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'gone' });
    expect((await harness.store.openSessions()).map(({ pod }) => pod.name)).toEqual(['a']);
  });

  it('queries unattended jobs before jobs at work', async () => {
    worker = new OrphanedRunners(harness.ports, { ...orphanLimits, max: 1 });
    const id = await harness.queueJob();
    await harness.runFor(await harness.serve('a'), 300 * minute);
    await harness.round(worker, 10 * minute);
    await harness.clock.pass(50 * minute);
    stopPlacement(harness);
    const waits = await harness.queueJob();
    await harness.serve('b');
    const asked: string[] = [];
    const look = harness.github.job.bind(harness.github);
    harness.github.job = async (tenant, jobId) => {
      asked.push(jobId);
      return look(tenant, jobId);
    };
    await harness.round(worker, 6 * minute);
    await harness.round(worker);
    expect(asked).toEqual([waits, id]);
  });

  it('requeues the job of a gone Pod at once, whatever its runner executed', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    harness.pods.all.clear();
    harness.pods.add(seenPod('z'));
    await harness.round(worker);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('does not take a Pod created after the list for gone', async () => {
    await harness.queueJob();
    await harness.serve('a');
    const id = await harness.queueJob();
    const list = harness.pods.list.bind(harness.pods);
    harness.pods.list = async (which) => {
      const listed = await list(which);
      await harness.serve('b');
      return listed;
    };
    await harness.round(worker);
    expect((await harness.job(id)).state).toBe('running');
  });

  it('ends a job that GitHub does not know after two looks, not after one', async () => {
    await harness.store.apply({ kind: 'enqueue', job: harness.draftOf('9999999999999999999') });
    await harness.serve('a');
    await harness.round(worker, 6 * minute);
    expect((await harness.job('9999999999999999999')).state).toBe('running');
    await harness.round(worker);
    expect(await harness.job('9999999999999999999')).toMatchObject({
      state: 'completed',
      conclusion: 'gone',
    });
    expect(await harness.outcomes()).toEqual(['orphan_completed: given-up']);
  });

  it('queries again in the next run when GitHub does not answer, and leaves the job as it is', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    harness.site.throttle.begin(10 * minute, 'primary');
    await expect(harness.round(worker, 6 * minute)).rejects.toThrow('limit');
    expect((await harness.job(id)).state).toBe('running');
    await harness.round(worker, 5 * minute);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('does not query while the App is suspended, and does when it is active again', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    await harness.install('suspended');
    const before = harness.asked.length;
    await harness.round(worker, 6 * minute);
    expect([(await harness.job(id)).state, harness.asked.length]).toEqual(['running', before]);
    await harness.install();
    await harness.round(worker, minute);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('does not list Pods when nothing is running', async () => {
    await harness.queueJob();
    await harness.round(worker);
    expect(harness.pods.lists).toBe(0);
  });

  it('decides by age when Pods cannot be listed', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    harness.pods.listFails = new FleetError('unavailable', { reason: 'Timeout', message: 'no answer' });
    await harness.round(worker);
    expect((await harness.job(id)).state).toBe('running');
    await harness.round(worker, 5 * minute);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('does not query the same healthy job every minute', async () => {
    stopPlacement(harness);
    await harness.queueJob();
    const served = await harness.serve('a');
    await harness.runFor(served, minute);
    const asked = (): number => harness.asked.filter((route) => route.includes('/actions/jobs/')).length;
    await harness.round(worker, 6 * minute);
    await harness.round(worker);
    await harness.round(worker);
    expect(asked()).toBe(1);
    await harness.round(worker, 5 * minute);
    expect(asked()).toBe(2);
  });
});

const script = {
  fate: 'works',
  comesAfterMs: 1,
  jobMs: 1,
  conclusion: 'success',
  reportsAfterMs: 0,
} as const;

/** GitHub assigns no jobs for now. */
function stopPlacement({ site }: RecoveryHarness): void {
  site.timing = { ...site.timing, placementMs: { least: 36_000_000, most: 36_000_000 } };
}
