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
    ['an hour, and GitHub says it waits, is left', 1, reported('queued'), { act: 'none' }],
    ['a day and more is given up', 25, reported('queued'), { act: 'give-up', conclusion: 'stale' }],
    ['exactly a day is left', 24, reported('queued'), { act: 'none' }],
    ['an hour, and GitHub does not answer, is left', 1, 'failed', { act: 'none' }],
    [
      'a day, and GitHub does not answer, is given up',
      25,
      'failed',
      { act: 'give-up', kind: 'queued_reaped' },
    ],
    ['and unknown at GitHub is only a suspect', 1, 'unknown', { act: 'suspect-gone' }],
    ['a day, and unknown at GitHub, is given up', 25, 'unknown', { act: 'give-up' }],
    [
      'and completed at GitHub is completed',
      1,
      reported('completed', { conclusion: 'cancelled', completedAt: 5 }),
      { act: 'apply', effect: { kind: 'complete', end: { conclusion: 'cancelled', at: 5 } } },
    ],
    [
      'and in progress at GitHub is running',
      25,
      reported('in_progress', { runnerName: 'r' }),
      { act: 'apply', effect: { kind: 'start', runnerName: 'r' } },
    ],
    [
      'and in progress without a named runner is left, however old',
      25,
      reported('in_progress'),
      { act: 'none' },
    ],
    ['a day, with an unknown status at GitHub, is given up', 25, reported('other'), { act: 'give-up' }],
  ])('%s', ([, hours, says, expected]) => {
    const at = noon + hours * hour;
    expect(decideQueued(newJob(draft('1'), 'queued'), says, { at, giveUpAfterMs })).toMatchObject(expected);
  });
});

it.for<readonly [string, Reported, object]>([
  ['and waits at GitHub too is left', reported('waiting'), { act: 'none' }],
  ['and GitHub does not answer is left', 'failed', { act: 'none' }],
  ['and unknown at GitHub is only a suspect', 'unknown', { act: 'suspect-gone' }],
  [
    'and completed at GitHub is completed',
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

  /** A job with a webhook that GitHub no longer knows. */
  async function queueUnknown(id: string): Promise<string> {
    await harness.store.apply({
      kind: 'enqueue',
      job: { ...harness.draftOf(id), queuedAt: harness.clock.now() },
    });
    return id;
  }

  it('completes a job whose cancellation was not delivered', async () => {
    const id = await harness.queueJob();
    const job = harness.site.board.job(id);
    if (job !== undefined) harness.site.cancel(job);
    await harness.round(worker, hour);
    expect((await harness.job(id)).state).toBe('queued');
    await harness.round(worker, 5 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'cancelled' });
    expect(harness.recovered).toEqual(['queued_completed']);
  });

  it('completes a job whose rejected approval was not delivered', async () => {
    const id = await harness.queueJob({ isKnown: false });
    await harness.store.apply({ kind: 'wait', job: harness.draftOf(id) });
    const job = harness.site.board.job(id);
    if (job !== undefined) harness.site.cancel(job);
    await harness.round(worker, hour + 1);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'cancelled' });
  });

  it('ends a job that waits for an approval and is unknown at GitHub in two runs', async () => {
    const id = '9999999999999999999';
    await harness.store.apply({ kind: 'wait', job: harness.draftOf(id) });
    await harness.round(worker, hour + 1);
    expect((await harness.job(id)).state).toBe('waiting');
    await harness.round(worker, 5 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'gone' });
  });

  it('queries jobs that wait for an approval after jobs that wait for a runner', async () => {
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

  it('queries jobs that wait for a runner even if many older jobs wait for an approval', async () => {
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

  it('gives up a job that no runner took for a day, even while GitHub is down', async () => {
    const id = await harness.queueJob();
    harness.site.throttle.begin(48 * hour, 'too-many');
    await harness.round(worker, 25 * hour);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'stale' });
    expect(await harness.outcomes()).toEqual(['queued_reaped: given-up']);
  });

  it('ends a job that GitHub does not know in two consecutive runs', async () => {
    const id = await queueUnknown('9999999999999999999');
    await harness.round(worker, hour + 1);
    expect((await harness.job(id)).state).toBe('queued');
    await harness.round(worker, 5 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'gone' });
    expect(await harness.outcomes()).toEqual(['queued_completed: given-up']);
  });

  it('keeps a job that GitHub did not know once', async () => {
    const id = await harness.queueJob();
    const look = harness.github.job.bind(harness.github);
    let unknown = 1;
    harness.github.job = async (...given) => {
      if ((unknown -= 1) < 0) return look(...given);
      throw new FleetError('gone', { reason: 'NotFound', message: 'there is no such job' });
    };
    await harness.round(worker, hour + 1);
    await harness.round(worker, 5 * minute);
    // Half an hour later the suspicion starts over.
    unknown = 1;
    await harness.round(worker, 30 * minute);
    await harness.round(worker, 5 * minute);
    expect(unknown).toBeLessThan(0);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('does not end a job after two looks that are too close together', async () => {
    const id = await queueUnknown('9999999999999999999');
    await harness.round(worker, hour + 1);
    await harness.round(worker, minute - 1);
    expect((await harness.job(id)).state).toBe('queued');
    await harness.round(worker, 1);
    expect((await harness.job(id)).state).toBe('completed');
  });

  it('ends all unknown jobs even if too many for one run', async () => {
    worker = new StaleQueuedJobs(harness.ports, { ...staleQueuedLimits, max: 2 });
    for (let index = 0; index < 6; index += 1) await queueUnknown(`999999999999999999${index}`);
    await harness.clock.pass(hour);
    for (let round = 0; round < 6; round += 1) await harness.round(worker, 5 * minute);
    const jobs = await harness.store.jobs({ states: ['completed'], limit: 10 });
    expect(jobs.map(({ conclusion }) => conclusion)).toEqual(Array.from({ length: 6 }, () => 'gone'));
  });

  it('keeps a job that is claimed in the meantime', async () => {
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

  it('queries a waiting job every half hour, and fifty jobs at most', async () => {
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

  it('queries every job even if too many for half an hour', async () => {
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

  it('queries nothing if no job is old', async () => {
    await harness.queueJob();
    await harness.round(worker, 30 * minute);
    expect(harness.asked).toEqual([]);
  });
});
