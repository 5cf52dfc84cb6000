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

describe('GitHub is asked about a job', () => {
  const startedAgo = (ms: number): Job => ({ ...started, startedAt: at - ms });
  const young = { ...running, claimedAt: at - 299_000 };
  it.for<readonly [string, Partial<OrphanLook>, string | undefined]>([
    ['that was handed out long ago and no runner took', {}, 'aged_out'],
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
    ['that one of our Pods is at work on: no', { jobs: [started] }, undefined],
    ['that one of our Pods began an hour ago: not yet', { jobs: [startedAgo(60 * minute)] }, undefined],
    ['that one of our Pods began more than an hour ago', { jobs: [startedAgo(60 * minute + 1)] }, 'at_work'],
    [
      'that one of our Pods began more than an hour ago, while Pods cannot be listed',
      { jobs: [startedAgo(61 * minute)], pods: undefined },
      'at_work',
    ],
    ['that one of our Pods did when it was lost', { jobs: [started], pods: elsewhere }, 'unattended'],
    ['whose runner is none of ours', { jobs: [{ ...started, executor: 'other' }] }, 'unattended'],
    [
      'whose runner has the name of one of another account',
      { jobs: [started], sessions: [{ ...session, accountId: 'another' }] },
      'unattended',
    ],
    [
      'whose runner is none of ours, and that has just begun: not yet',
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
      'whose runner has the name of one of another account that has ended: not yet',
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
    ['queued, its runner has another job', { claim: busy }, {}, { act: 'leave' }],
    [
      'queued, that runner and its Pod are gone',
      { claim: busy, reason: 'pod_stopped' },
      {},
      { act: 'abandon' },
    ],
    ['queued although somebody had begun', { job: started, reason: 'unattended' }, {}, { act: 'leave' }],
    ['queued although one of our Pods has it', { job: started, reason: 'at_work' }, {}, { act: 'leave' }],
    [
      'in progress on one of our Pods',
      { job: started, reason: 'at_work' },
      { status: 'in_progress', runnerName: 'runner-a' },
      { act: 'leave' },
    ],
    [
      'in progress on a runner',
      {},
      { status: 'in_progress', runnerName: 'r', startedAt: 5 },
      { act: 'apply', kind: 'orphan_started', effect: { kind: 'start', runnerName: 'r', at: 5 } },
    ],
    [
      'in progress, as we know',
      { job: started },
      { status: 'in_progress', runnerName: 'r' },
      { act: 'leave' },
    ],
    ['in progress on nothing', {}, { status: 'in_progress' }, { act: 'leave' }],
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
    ['waiting', {}, { status: 'waiting' }, { act: 'leave' }],
    ['something new', {}, { status: 'other' }, { act: 'leave' }],
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

  it('gives back the job of a runner that never came, and its registration is of no more use', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.round(worker, 4 * minute);
    expect((await harness.job(id)).state).toBe('running');
    await harness.round(worker, 2 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'queued', generation: undefined });
    expect(await harness.store.claims()).toEqual([]);
    expect(await harness.outcomes()).toEqual(['orphan_requeued: requeued']);
    expect(() => harness.site.hall.start(served.jitConfig, script)).toThrow('nobody was registered');
    // The Pod is seen by everybody until it has ended.
    expect((await harness.store.openSessions()).map(({ pod }) => pod.name)).toEqual(['a']);
    await expect(harness.claim('a')).rejects.toThrow('taken');
  });

  it('asks for the one runner by its name, and not for all of the organisation', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    harness.github.runners = () => expect.unreachable('all runners were listed');
    await harness.round(worker, 6 * minute);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('leaves a runner alone that is on the line and was not given its job yet', async () => {
    stopPlacement(harness);
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.runFor(served, minute);
    await harness.round(worker, 10 * minute);
    expect((await harness.job(id)).state).toBe('running');
    expect(harness.site.hall.all).toHaveLength(1);
  });

  it('leaves a runner alone that is at work on a job of which nobody told us', async () => {
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

  it('leaves a job alone whose runner begins to work while it is being removed', async () => {
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

  it('hears who executes a job, and how it ended, where no webhook told', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.runFor(served, 20 * minute);
    await harness.round(worker, 10 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'running', executor: served.runnerName });
    // Its Pod ends, and that it is over is never told.
    await harness.clock.pass(15 * minute);
    harness.pods.all.clear();
    harness.pods.add(seenPod('z'));
    await harness.round(worker);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'success' });
    expect(await harness.store.claims()).toEqual([]);
    expect(harness.recovered).toEqual(['orphan_started', 'orphan_completed']);
  });

  it('hears that a job is over whose Pod hangs, where no webhook told', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    await harness.runFor(served, 20 * minute);
    await harness.round(worker, 10 * minute);
    await harness.round(worker, 45 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'running', executor: served.runnerName });
    await harness.round(worker, 10 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'success' });
    expect(await harness.store.claims()).toEqual([]);
    // Whoever removes its Pod finds it by this.
    expect((await harness.store.openSessions()).map(({ pod }) => pod.name)).toEqual(['a']);
  });

  it('asks about a job at work on a living Pod once an hour, and touches nothing of it', async () => {
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

  it('writes down also a removal of which it is not known whether it happened', async () => {
    const id = await harness.queueJob();
    const served = await harness.serve('a');
    harness.loseRemovals();
    await expect(harness.round(worker, 6 * minute)).rejects.toThrow('the answer was lost');
    const [act] = await harness.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ kind: 'ghost_runner', outcome: 'unknown', pod: served.claim.pod });
    await harness.round(worker);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('ends a job of a living Pod that GitHub does not know at two looks, not at one', async () => {
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

  it('asks about those that nobody attends before those that are at work', async () => {
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

  it('gives the job of a Pod that is gone back at once, whatever its runner had', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    harness.pods.all.clear();
    harness.pods.add(seenPod('z'));
    await harness.round(worker);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('does not take a Pod for gone that came after the list', async () => {
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

  it('ends a job that GitHub does not know at two looks, not at one', async () => {
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

  it('asks again the next time when GitHub does not answer, and leaves the job as it is', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    harness.site.throttle.begin(10 * minute, 'primary');
    await expect(harness.round(worker, 6 * minute)).rejects.toThrow('limit');
    expect((await harness.job(id)).state).toBe('running');
    await harness.round(worker, 5 * minute);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('does not ask while the App is suspended, and asks when it is back', async () => {
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

  it('goes by age when Pods cannot be listed', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    harness.pods.listFails = new FleetError('unavailable', { reason: 'Timeout', message: 'no answer' });
    await harness.round(worker);
    expect((await harness.job(id)).state).toBe('running');
    await harness.round(worker, 5 * minute);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('does not ask about the same healthy job every minute', async () => {
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

/** GitHub gives no job to anybody for now. */
function stopPlacement({ site }: RecoveryHarness): void {
  site.habits = { ...site.habits, placementMs: { least: 36_000_000, most: 36_000_000 } };
}
