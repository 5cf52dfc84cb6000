import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryStand } from '../../../test/recovery-stand.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import type { JobAtGitHub } from '../github/port.ts';
import { newJob } from '../store/contract/model/tables.ts';
import { draft, noon } from '../store/contract/stage.ts';
import { decideQueued, StaleQueuedJobs, staleQueuedLimits, type Told } from './stale-queued-jobs.ts';

const hour = 60 * minute;
const { giveUpAfterMs } = staleQueuedLimits;

function told(status: JobAtGitHub['status'], other: Partial<JobAtGitHub> = {}): JobAtGitHub {
  const nothing = {
    conclusion: undefined,
    runnerName: undefined,
    startedAt: undefined,
    completedAt: undefined,
  };
  return { id: '1', status, ...nothing, ...other };
}

describe('a job that has waited', () => {
  it.for<readonly [string, number, Told, object]>([
    ['an hour, and GitHub says it waits, is left', 1, told('queued'), { act: 'leave' }],
    ['a day and more is given up', 25, told('queued'), { act: 'give-up', conclusion: 'stale' }],
    ['exactly a day is left', 24, told('queued'), { act: 'leave' }],
    ['an hour, and GitHub does not answer, is left', 1, 'failed', { act: 'leave' }],
    [
      'a day, and GitHub does not answer, is given up',
      25,
      'failed',
      { act: 'give-up', kind: 'queued_reaped' },
    ],
    ['and GitHub does not know it is suspect, and no more', 1, 'unknown', { act: 'suspect-gone' }],
    ['a day, and GitHub does not know it, is given up', 25, 'unknown', { act: 'give-up' }],
    [
      'and GitHub says it is over is over',
      1,
      told('completed', { conclusion: 'cancelled', completedAt: 5 }),
      { act: 'apply', effect: { kind: 'complete', end: { conclusion: 'cancelled', at: 5 } } },
    ],
    [
      'and somebody is at work on is running',
      25,
      told('in_progress', { runnerName: 'r' }),
      { act: 'apply', effect: { kind: 'start', runnerName: 'r' } },
    ],
    ['and somebody unnamed is at work on is left, however old', 25, told('in_progress'), { act: 'leave' }],
    ['a day for something new at GitHub is given up', 25, told('other'), { act: 'give-up' }],
  ])('%s', ([, hours, says, expected]) => {
    const at = noon + hours * hour;
    expect(decideQueued(newJob(draft('1'), 'queued'), says, { at, giveUpAfterMs })).toMatchObject(expected);
  });
});

it.for<readonly [string, Told, object]>([
  ['and GitHub says so too is left', told('waiting'), { act: 'leave' }],
  ['and GitHub does not answer is left', 'failed', { act: 'leave' }],
  ['and GitHub does not know it is suspect, and no more', 'unknown', { act: 'suspect-gone' }],
  [
    'and GitHub says it is over is over',
    told('completed', { conclusion: 'cancelled', completedAt: 5 }),
    { act: 'apply', effect: { kind: 'complete' } },
  ],
])('a job that has waited for an approval for a month %s', ([, says, expected]) => {
  const at = noon + 30 * 24 * hour;
  expect(decideQueued(newJob(draft('1'), 'waiting'), says, { at, giveUpAfterMs })).toMatchObject(expected);
});

describe('the worker', () => {
  let stand: RecoveryStand;
  let worker: StaleQueuedJobs;
  beforeEach(async () => {
    stand = new RecoveryStand();
    worker = new StaleQueuedJobs(stand.ports);
    await stand.install();
  });

  /** Of which a webhook told, and that GitHub does not know. */
  async function queueUnknown(id: string): Promise<string> {
    await stand.store.apply({ kind: 'enqueue', job: { ...stand.draftOf(id), queuedAt: stand.clock.now() } });
    return id;
  }

  it('hears of a job that was cancelled while nobody told us', async () => {
    const id = await stand.queueJob();
    const job = stand.site.board.job(id);
    if (job !== undefined) stand.site.cancel(job);
    await stand.turn(worker, hour);
    expect((await stand.job(id)).state).toBe('queued');
    await stand.turn(worker, 5 * minute);
    expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'cancelled' });
    expect(stand.recovered).toEqual(['queued_completed']);
  });

  it('hears of a job that was refused an approval while nobody told us', async () => {
    const id = await stand.queueJob({ isKnown: false });
    await stand.store.apply({ kind: 'wait', job: stand.draftOf(id) });
    const job = stand.site.board.job(id);
    if (job !== undefined) stand.site.cancel(job);
    await stand.turn(worker, hour + 1);
    expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'cancelled' });
  });

  it('ends a job that waits for an approval and that GitHub does not know at two turns', async () => {
    const id = '9999999999999999999';
    await stand.store.apply({ kind: 'wait', job: stand.draftOf(id) });
    await stand.turn(worker, hour + 1);
    expect((await stand.job(id)).state).toBe('waiting');
    await stand.turn(worker, 5 * minute);
    expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'gone' });
  });

  it('asks about those that wait for an approval after those that wait for a runner', async () => {
    worker = new StaleQueuedJobs(stand.ports, { ...staleQueuedLimits, max: 1 });
    await stand.store.apply({ kind: 'wait', job: stand.draftOf('1') });
    const id = await stand.queueJob();
    const asked: string[] = [];
    stand.github.job = async (_tenant, jobId) => {
      asked.push(jobId);
      return told('waiting');
    };
    await stand.turn(worker, hour + 1);
    await stand.turn(worker, 5 * minute);
    await stand.turn(worker, 26 * minute);
    await stand.turn(worker, 5 * minute);
    expect(asked).toEqual([id, '1', id, '1']);
  });

  it('asks about those that wait for a runner however many older ones wait for an approval', async () => {
    await stand.store.apply({ kind: 'wait', job: stand.draftOf('1') });
    await stand.clock.pass(1);
    const id = await stand.queueJob();
    const jobs = stand.store.jobs.bind(stand.store);
    stand.store.jobs = async (filter) => jobs({ ...filter, limit: 1 });
    const asked: string[] = [];
    stand.github.job = async (_tenant, jobId) => {
      asked.push(jobId);
      return told('waiting');
    };
    await stand.turn(worker, hour + 1);
    expect(asked).toEqual([id, '1']);
  });

  it('gives up what nobody took for a day, also while GitHub is down', async () => {
    const id = await stand.queueJob();
    stand.site.throttle.begin(48 * hour, 'too-many');
    await stand.turn(worker, 25 * hour);
    expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'stale' });
    expect(await stand.outcomes()).toEqual(['queued_reaped: given-up']);
  });

  it('ends a job that GitHub does not know at two turns, one after the other', async () => {
    const id = await queueUnknown('9999999999999999999');
    await stand.turn(worker, hour + 1);
    expect((await stand.job(id)).state).toBe('queued');
    await stand.turn(worker, 5 * minute);
    expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'gone' });
    expect(await stand.outcomes()).toEqual(['queued_completed: given-up']);
  });

  it('leaves a job that GitHub did not know for once', async () => {
    const id = await stand.queueJob();
    const look = stand.github.job.bind(stand.github);
    let unknown = 1;
    stand.github.job = async (...given) => {
      if ((unknown -= 1) < 0) return look(...given);
      throw new FleetError('gone', { reason: 'NotFound', message: 'there is no such job' });
    };
    await stand.turn(worker, hour + 1);
    await stand.turn(worker, 5 * minute);
    // Half an hour later it begins anew.
    unknown = 1;
    await stand.turn(worker, 30 * minute);
    await stand.turn(worker, 5 * minute);
    expect(unknown).toBeLessThan(0);
    expect((await stand.job(id)).state).toBe('queued');
  });

  it('does not end one at the second of two looks that are too close', async () => {
    const id = await queueUnknown('9999999999999999999');
    await stand.turn(worker, hour + 1);
    await stand.turn(worker, minute - 1);
    expect((await stand.job(id)).state).toBe('queued');
    await stand.turn(worker, 1);
    expect((await stand.job(id)).state).toBe('completed');
  });

  it('ends all of more than it can ask about in one turn', async () => {
    worker = new StaleQueuedJobs(stand.ports, { ...staleQueuedLimits, max: 2 });
    for (let index = 0; index < 6; index += 1) await queueUnknown(`999999999999999999${index}`);
    await stand.clock.pass(hour);
    for (let turn = 0; turn < 6; turn += 1) await stand.turn(worker, 5 * minute);
    const jobs = await stand.store.jobs({ states: ['completed'], limit: 10 });
    expect(jobs.map(({ conclusion }) => conclusion)).toEqual(Array.from({ length: 6 }, () => 'gone'));
  });

  it('leaves a job to whoever claims it in the meantime', async () => {
    const id = await stand.queueJob();
    const giveUp = stand.store.giveUp.bind(stand.store);
    stand.store.giveUp = async (...given) => {
      await stand.claim('a');
      return giveUp(...given);
    };
    await stand.turn(worker, 25 * hour);
    expect((await stand.job(id)).state).toBe('claimed');
    expect(stand.recovered).toEqual([]);
  });

  it('asks about one that rightly waits every half hour, and about fifty at most', async () => {
    for (let index = 0; index < 60; index += 1) await stand.queueJob();
    const asked = (): number => stand.asked.filter((route) => route.includes('/actions/jobs/')).length;
    await stand.turn(worker, hour + 1);
    expect(asked()).toBe(50);
    await stand.turn(worker, 5 * minute);
    expect(asked()).toBe(60);
    await stand.turn(worker, 5 * minute);
    expect(asked()).toBe(60);
    await stand.turn(worker, 20 * minute);
    expect(asked()).toBe(110);
  });

  it('asks about each of more than it can ask about in half an hour', async () => {
    const ids = new Set<string>();
    for (let index = 0; index < 400; index += 1) ids.add(await stand.queueJob());
    const look = stand.github.job.bind(stand.github);
    stand.github.job = async (tenant, id) => {
      ids.delete(id);
      return look(tenant, id);
    };
    await stand.turn(worker, hour + 1);
    for (let turn = 1; turn < 8; turn += 1) await stand.turn(worker, 5 * minute);
    expect(ids.size).toBe(0);
  });

  it('asks nothing where no job is old', async () => {
    await stand.queueJob();
    await stand.turn(worker, 30 * minute);
    expect(stand.asked).toEqual([]);
  });
});
