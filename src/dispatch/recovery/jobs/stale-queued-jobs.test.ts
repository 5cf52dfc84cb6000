import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryHarness } from '../../../../lab/harness/recovery-harness.ts';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import type { JobAtGitHub } from '../../github/port.ts';
import { newJob } from '../../store/model/tables.ts';
import { draft, noon } from '../../../../lab/contracts/store/harness.ts';
import { decideQueued, StaleQueuedJobs, staleQueuedLimits, type Reported } from './stale-queued-jobs.ts';

const hour = 60 * minute;
const { giveUpAfterMs } = staleQueuedLimits;

function reported(status: JobAtGitHub['status'], other: Partial<JobAtGitHub> = {}): JobAtGitHub {
  const nothing = {
    conclusion: undefined,
    runnerName: undefined,
    startedAt: undefined,
    completedAt: undefined,
  };
  return { id: '1', status, ...nothing, ...other };
}

describe('a job that has waited', () => {
  it.for<readonly [string, number, Reported, object]>([
    ['an hour, and GitHub says it waits, is left', 1, reported('queued'), { act: 'leave' }],
    ['a day and more is given up', 25, reported('queued'), { act: 'give-up', conclusion: 'stale' }],
    ['exactly a day is left', 24, reported('queued'), { act: 'leave' }],
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
      reported('completed', { conclusion: 'cancelled', completedAt: 5 }),
      { act: 'apply', effect: { kind: 'complete', end: { conclusion: 'cancelled', at: 5 } } },
    ],
    [
      'and somebody is at work on is running',
      25,
      reported('in_progress', { runnerName: 'r' }),
      { act: 'apply', effect: { kind: 'start', runnerName: 'r' } },
    ],
    [
      'and somebody unnamed is at work on is left, however old',
      25,
      reported('in_progress'),
      { act: 'leave' },
    ],
    ['a day for something new at GitHub is given up', 25, reported('other'), { act: 'give-up' }],
  ])('%s', ([, hours, says, expected]) => {
    const at = noon + hours * hour;
    expect(decideQueued(newJob(draft('1'), 'queued'), says, { at, giveUpAfterMs })).toMatchObject(expected);
  });
});

it.for<readonly [string, Reported, object]>([
  ['and GitHub says so too is left', reported('waiting'), { act: 'leave' }],
  ['and GitHub does not answer is left', 'failed', { act: 'leave' }],
  ['and GitHub does not know it is suspect, and no more', 'unknown', { act: 'suspect-gone' }],
  [
    'and GitHub says it is over is over',
    reported('completed', { conclusion: 'cancelled', completedAt: 5 }),
    { act: 'apply', effect: { kind: 'complete' } },
  ],
])('a job that has waited for an approval for a month %s', ([, says, expected]) => {
  const at = noon + 30 * 24 * hour;
  expect(decideQueued(newJob(draft('1'), 'waiting'), says, { at, giveUpAfterMs })).toMatchObject(expected);
});

describe('the worker', () => {
  let harness: RecoveryHarness;
  let worker: StaleQueuedJobs;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    worker = new StaleQueuedJobs(harness.ports);
    await harness.install();
  });

  /** Of which a webhook told, and that GitHub does not know. */
  async function queueUnknown(id: string): Promise<string> {
    await harness.store.apply({
      kind: 'enqueue',
      job: { ...harness.draftOf(id), queuedAt: harness.clock.now() },
    });
    return id;
  }

  it('hears of a job that was cancelled while nobody told us', async () => {
    const id = await harness.queueJob();
    const job = harness.site.board.job(id);
    if (job !== undefined) harness.site.cancel(job);
    await harness.round(worker, hour);
    expect((await harness.job(id)).state).toBe('queued');
    await harness.round(worker, 5 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'cancelled' });
    expect(harness.recovered).toEqual(['queued_completed']);
  });

  it('hears of a job that was refused an approval while nobody told us', async () => {
    const id = await harness.queueJob({ isKnown: false });
    await harness.store.apply({ kind: 'wait', job: harness.draftOf(id) });
    const job = harness.site.board.job(id);
    if (job !== undefined) harness.site.cancel(job);
    await harness.round(worker, hour + 1);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'cancelled' });
  });

  it('ends a job that waits for an approval and that GitHub does not know at two turns', async () => {
    const id = '9999999999999999999';
    await harness.store.apply({ kind: 'wait', job: harness.draftOf(id) });
    await harness.round(worker, hour + 1);
    expect((await harness.job(id)).state).toBe('waiting');
    await harness.round(worker, 5 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'gone' });
  });

  it('asks about those that wait for an approval after those that wait for a runner', async () => {
    worker = new StaleQueuedJobs(harness.ports, { ...staleQueuedLimits, max: 1 });
    await harness.store.apply({ kind: 'wait', job: harness.draftOf('1') });
    const id = await harness.queueJob();
    const asked: string[] = [];
    harness.github.job = async (_tenant, jobId) => {
      asked.push(jobId);
      return reported('waiting');
    };
    await harness.round(worker, hour + 1);
    await harness.round(worker, 5 * minute);
    await harness.round(worker, 26 * minute);
    await harness.round(worker, 5 * minute);
    expect(asked).toEqual([id, '1', id, '1']);
  });

  it('asks about those that wait for a runner however many older ones wait for an approval', async () => {
    await harness.store.apply({ kind: 'wait', job: harness.draftOf('1') });
    await harness.clock.pass(1);
    const id = await harness.queueJob();
    const jobs = harness.store.jobs.bind(harness.store);
    harness.store.jobs = async (filter) => jobs({ ...filter, limit: 1 });
    const asked: string[] = [];
    harness.github.job = async (_tenant, jobId) => {
      asked.push(jobId);
      return reported('waiting');
    };
    await harness.round(worker, hour + 1);
    expect(asked).toEqual([id, '1']);
  });

  it('gives up what nobody took for a day, also while GitHub is down', async () => {
    const id = await harness.queueJob();
    harness.site.throttle.begin(48 * hour, 'too-many');
    await harness.round(worker, 25 * hour);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'stale' });
    expect(await harness.outcomes()).toEqual(['queued_reaped: given-up']);
  });

  it('ends a job that GitHub does not know at two turns, one after the other', async () => {
    const id = await queueUnknown('9999999999999999999');
    await harness.round(worker, hour + 1);
    expect((await harness.job(id)).state).toBe('queued');
    await harness.round(worker, 5 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'gone' });
    expect(await harness.outcomes()).toEqual(['queued_completed: given-up']);
  });

  it('leaves a job that GitHub did not know for once', async () => {
    const id = await harness.queueJob();
    const look = harness.github.job.bind(harness.github);
    let unknown = 1;
    harness.github.job = async (...given) => {
      if ((unknown -= 1) < 0) return look(...given);
      throw new FleetError('gone', { reason: 'NotFound', message: 'there is no such job' });
    };
    await harness.round(worker, hour + 1);
    await harness.round(worker, 5 * minute);
    // Half an hour later it begins anew.
    unknown = 1;
    await harness.round(worker, 30 * minute);
    await harness.round(worker, 5 * minute);
    expect(unknown).toBeLessThan(0);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('does not end one at the second of two looks that are too close', async () => {
    const id = await queueUnknown('9999999999999999999');
    await harness.round(worker, hour + 1);
    await harness.round(worker, minute - 1);
    expect((await harness.job(id)).state).toBe('queued');
    await harness.round(worker, 1);
    expect((await harness.job(id)).state).toBe('completed');
  });

  it('ends all of more than it can ask about in one turn', async () => {
    worker = new StaleQueuedJobs(harness.ports, { ...staleQueuedLimits, max: 2 });
    for (let index = 0; index < 6; index += 1) await queueUnknown(`999999999999999999${index}`);
    await harness.clock.pass(hour);
    for (let round = 0; round < 6; round += 1) await harness.round(worker, 5 * minute);
    const jobs = await harness.store.jobs({ states: ['completed'], limit: 10 });
    expect(jobs.map(({ conclusion }) => conclusion)).toEqual(Array.from({ length: 6 }, () => 'gone'));
  });

  it('leaves a job to whoever claims it in the meantime', async () => {
    const id = await harness.queueJob();
    const giveUp = harness.store.giveUp.bind(harness.store);
    harness.store.giveUp = async (...given) => {
      await harness.claim('a');
      return giveUp(...given);
    };
    await harness.round(worker, 25 * hour);
    expect((await harness.job(id)).state).toBe('claimed');
    expect(harness.recovered).toEqual([]);
  });

  it('asks about one that rightly waits every half hour, and about fifty at most', async () => {
    for (let index = 0; index < 60; index += 1) await harness.queueJob();
    const asked = (): number => harness.asked.filter((route) => route.includes('/actions/jobs/')).length;
    await harness.round(worker, hour + 1);
    expect(asked()).toBe(50);
    await harness.round(worker, 5 * minute);
    expect(asked()).toBe(60);
    await harness.round(worker, 5 * minute);
    expect(asked()).toBe(60);
    await harness.round(worker, 20 * minute);
    expect(asked()).toBe(110);
  });

  it('asks about each of more than it can ask about in half an hour', async () => {
    const ids = new Set<string>();
    for (let index = 0; index < 400; index += 1) ids.add(await harness.queueJob());
    const look = harness.github.job.bind(harness.github);
    harness.github.job = async (tenant, id) => {
      ids.delete(id);
      return look(tenant, id);
    };
    await harness.round(worker, hour + 1);
    for (let round = 1; round < 8; round += 1) await harness.round(worker, 5 * minute);
    expect(ids.size).toBe(0);
  });

  it('asks nothing where no job is old', async () => {
    await harness.queueJob();
    await harness.round(worker, 30 * minute);
    expect(harness.asked).toEqual([]);
  });
});
