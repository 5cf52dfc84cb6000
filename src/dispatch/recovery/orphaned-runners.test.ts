import { beforeEach, describe, expect, it } from 'vitest';
import { claimOn, minute, RecoveryStand, seenPod, sessionOn } from '../../../test/recovery-stand.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import type { JobAtGitHub } from '../github/port.ts';
import { newJob } from '../store/contract/model/tables.ts';
import { draft, noon } from '../store/contract/stage.ts';
import type { Job } from '../store/rows.ts';
import { decideJob, type JobLook } from './job-look.ts';
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
  const told: JobAtGitHub = {
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
    expect(decideJob({ ...look, ...of }, says && { ...told, ...says })).toMatchObject(expected);
  });
});

describe('the worker', () => {
  let stand: RecoveryStand;
  let worker: OrphanedRunners;
  beforeEach(async () => {
    stand = new RecoveryStand();
    worker = new OrphanedRunners(stand.ports);
    await stand.install();
  });

  it('gives back the job of a runner that never came, and its registration is of no more use', async () => {
    const id = await stand.queueJob();
    const served = await stand.serve('a');
    await stand.turn(worker, 4 * minute);
    expect((await stand.job(id)).state).toBe('running');
    await stand.turn(worker, 2 * minute);
    expect(await stand.job(id)).toMatchObject({ state: 'queued', generation: undefined });
    expect(await stand.store.claims()).toEqual([]);
    expect(await stand.outcomes()).toEqual(['orphan_requeued: requeued']);
    expect(() => stand.site.hall.start(served.jitConfig, script)).toThrow('nobody was registered');
    // The Pod is seen by everybody until it has ended.
    expect((await stand.store.openSessions()).map(({ pod }) => pod.name)).toEqual(['a']);
    await expect(stand.claim('a')).rejects.toThrow('taken');
  });

  it('asks for the one runner by its name, and not for all of the organisation', async () => {
    const id = await stand.queueJob();
    await stand.serve('a');
    stand.github.runners = () => expect.unreachable('all runners were listed');
    await stand.turn(worker, 6 * minute);
    expect((await stand.job(id)).state).toBe('queued');
  });

  it('leaves a runner alone that is on the line and was not given its job yet', async () => {
    stopPlacement(stand);
    const id = await stand.queueJob();
    const served = await stand.serve('a');
    await stand.runFor(served, minute);
    await stand.turn(worker, 10 * minute);
    expect((await stand.job(id)).state).toBe('running');
    expect(stand.site.hall.all).toHaveLength(1);
  });

  it('leaves a runner alone that is at work on a job of which nobody told us', async () => {
    const id = await stand.queueJob({ labels: ['of another pool'] });
    const served = await stand.serve('a');
    await stand.queueJob({ isKnown: false });
    await stand.runFor(served, 3_600_000);
    await stand.turn(worker, 10 * minute);
    expect((await stand.job(id)).state).toBe('running');
    expect(await stand.store.claims()).toHaveLength(1);
    expect(stand.site.hall.all.map(({ state }) => state)).toEqual(['busy']);
    expect(stand.asked.filter((route) => route.startsWith('DELETE'))).toEqual([]);
  });

  it('leaves a job alone whose runner begins to work while it is being removed', async () => {
    const id = await stand.queueJob({ labels: ['of another pool'] });
    await stand.serve('a');
    const removeRunner = stand.github.removeRunner.bind(stand.github);
    stand.github.removeRunner = async (...given) => {
      for (const runner of stand.site.hall.all) runner.state = 'busy';
      return removeRunner(...given);
    };
    await stand.turn(worker, 10 * minute);
    expect((await stand.job(id)).state).toBe('running');
    expect(await stand.store.claims()).toHaveLength(1);
  });

  it('hears who executes a job, and how it ended, where no webhook told', async () => {
    const id = await stand.queueJob();
    const served = await stand.serve('a');
    await stand.runFor(served, 20 * minute);
    await stand.turn(worker, 10 * minute);
    expect(await stand.job(id)).toMatchObject({ state: 'running', executor: served.runnerName });
    // Its Pod ends, and that it is over is never told.
    await stand.clock.pass(15 * minute);
    stand.pods.all.clear();
    stand.pods.add(seenPod('z'));
    await stand.turn(worker);
    expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'success' });
    expect(await stand.store.claims()).toEqual([]);
    expect(stand.recovered).toEqual(['orphan_started', 'orphan_completed']);
  });

  it('hears that a job is over whose Pod hangs, where no webhook told', async () => {
    const id = await stand.queueJob();
    const served = await stand.serve('a');
    await stand.runFor(served, 20 * minute);
    await stand.turn(worker, 10 * minute);
    await stand.turn(worker, 45 * minute);
    expect(await stand.job(id)).toMatchObject({ state: 'running', executor: served.runnerName });
    await stand.turn(worker, 10 * minute);
    expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'success' });
    expect(await stand.store.claims()).toEqual([]);
    // Whoever removes its Pod finds it by this.
    expect((await stand.store.openSessions()).map(({ pod }) => pod.name)).toEqual(['a']);
  });

  it('asks about a job at work on a living Pod once an hour, and touches nothing of it', async () => {
    const id = await stand.queueJob();
    const served = await stand.serve('a');
    await stand.runFor(served, 300 * minute);
    await stand.turn(worker, 10 * minute);
    const before = [await stand.job(id), await stand.store.claims(), await stand.store.openSessions()];
    const { length } = stand.asked;
    for (let turn = 0; turn < 180; turn += 1) await stand.turn(worker);
    expect([await stand.job(id), await stand.store.claims(), await stand.store.openSessions()]).toEqual(
      before,
    );
    expect(before).toMatchObject([{ state: 'running' }, [{ state: 'running' }], [{ endedAt: undefined }]]);
    const asked = stand.asked.slice(length).filter((route) => !route.includes('access_tokens'));
    expect(asked).toEqual(Array.from({ length: 3 }, () => 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}'));
  });

  it('writes down also a removal of which it is not known whether it happened', async () => {
    const id = await stand.queueJob();
    const served = await stand.serve('a');
    stand.loseRemovals();
    await expect(stand.turn(worker, 6 * minute)).rejects.toThrow('the answer was lost');
    const [act] = await stand.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ kind: 'ghost_runner', outcome: 'unknown', pod: served.claim.pod });
    await stand.turn(worker);
    expect((await stand.job(id)).state).toBe('queued');
  });

  it('ends a job of a living Pod that GitHub does not know at two looks, not at one', async () => {
    const id = await stand.queueJob();
    const served = await stand.serve('a');
    await stand.runFor(served, 300 * minute);
    await stand.turn(worker, 10 * minute);
    const look = stand.github.job.bind(stand.github);
    let unknown = 1;
    stand.github.job = async (...given) => {
      if ((unknown -= 1) < 0) return look(...given);
      throw new FleetError('gone', { reason: 'NotFound', message: 'there is no such job' });
    };
    await stand.turn(worker, 60 * minute);
    await stand.turn(worker);
    expect((await stand.job(id)).state).toBe('running');
    unknown = 2;
    await stand.turn(worker, 60 * minute);
    expect((await stand.job(id)).state).toBe('running');
    await stand.turn(worker);
    expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'gone' });
    expect((await stand.store.openSessions()).map(({ pod }) => pod.name)).toEqual(['a']);
  });

  it('asks about those that nobody attends before those that are at work', async () => {
    worker = new OrphanedRunners(stand.ports, { ...orphanLimits, max: 1 });
    const id = await stand.queueJob();
    await stand.runFor(await stand.serve('a'), 300 * minute);
    await stand.turn(worker, 10 * minute);
    await stand.clock.pass(50 * minute);
    stopPlacement(stand);
    const waits = await stand.queueJob();
    await stand.serve('b');
    const asked: string[] = [];
    const look = stand.github.job.bind(stand.github);
    stand.github.job = async (tenant, jobId) => {
      asked.push(jobId);
      return look(tenant, jobId);
    };
    await stand.turn(worker, 6 * minute);
    await stand.turn(worker);
    expect(asked).toEqual([waits, id]);
  });

  it('gives the job of a Pod that is gone back at once, whatever its runner had', async () => {
    const id = await stand.queueJob();
    await stand.serve('a');
    stand.pods.all.clear();
    stand.pods.add(seenPod('z'));
    await stand.turn(worker);
    expect((await stand.job(id)).state).toBe('queued');
  });

  it('does not take a Pod for gone that came after the list', async () => {
    await stand.queueJob();
    await stand.serve('a');
    const id = await stand.queueJob();
    const list = stand.pods.list.bind(stand.pods);
    stand.pods.list = async (which) => {
      const listed = await list(which);
      await stand.serve('b');
      return listed;
    };
    await stand.turn(worker);
    expect((await stand.job(id)).state).toBe('running');
  });

  it('ends a job that GitHub does not know at two looks, not at one', async () => {
    await stand.store.apply({ kind: 'enqueue', job: stand.draftOf('9999999999999999999') });
    await stand.serve('a');
    await stand.turn(worker, 6 * minute);
    expect((await stand.job('9999999999999999999')).state).toBe('running');
    await stand.turn(worker);
    expect(await stand.job('9999999999999999999')).toMatchObject({ state: 'completed', conclusion: 'gone' });
    expect(await stand.outcomes()).toEqual(['orphan_completed: given-up']);
  });

  it('asks again the next time when GitHub does not answer, and leaves the job as it is', async () => {
    const id = await stand.queueJob();
    await stand.serve('a');
    stand.site.throttle.begin(10 * minute, 'primary');
    await expect(stand.turn(worker, 6 * minute)).rejects.toThrow('limit');
    expect((await stand.job(id)).state).toBe('running');
    await stand.turn(worker, 5 * minute);
    expect((await stand.job(id)).state).toBe('queued');
  });

  it('does not ask while the App is suspended, and asks when it is back', async () => {
    const id = await stand.queueJob();
    await stand.serve('a');
    await stand.install('suspended');
    const before = stand.asked.length;
    await stand.turn(worker, 6 * minute);
    expect([(await stand.job(id)).state, stand.asked.length]).toEqual(['running', before]);
    await stand.install();
    await stand.turn(worker, minute);
    expect((await stand.job(id)).state).toBe('queued');
  });

  it('does not list Pods when nothing is running', async () => {
    await stand.queueJob();
    await stand.turn(worker);
    expect(stand.pods.lists).toBe(0);
  });

  it('goes by age when Pods cannot be listed', async () => {
    const id = await stand.queueJob();
    await stand.serve('a');
    stand.pods.listFails = new FleetError('unavailable', { reason: 'Timeout', message: 'no answer' });
    await stand.turn(worker);
    expect((await stand.job(id)).state).toBe('running');
    await stand.turn(worker, 5 * minute);
    expect((await stand.job(id)).state).toBe('queued');
  });

  it('does not ask about the same healthy job every minute', async () => {
    stopPlacement(stand);
    await stand.queueJob();
    const served = await stand.serve('a');
    await stand.runFor(served, minute);
    const asked = (): number => stand.asked.filter((route) => route.includes('/actions/jobs/')).length;
    await stand.turn(worker, 6 * minute);
    await stand.turn(worker);
    await stand.turn(worker);
    expect(asked()).toBe(1);
    await stand.turn(worker, 5 * minute);
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
function stopPlacement({ site }: RecoveryStand): void {
  site.habits = { ...site.habits, placementMs: { least: 36_000_000, most: 36_000_000 } };
}
