/** Stale claims, and claims whose job is over. */
import { beforeEach, describe, expect, it } from 'vitest';
import { claimOn, minute, RecoveryHarness } from '../../../lab/harness/recovery-harness.ts';
import { newJob } from '../store/model/tables.ts';
import { draft, noon, podOf } from '../../../lab/contracts/store/harness.ts';
import type { Claim, Job } from '../store/rows.ts';
import { decideCompletedClaims, settleCompletedClaims } from './claims/completed-claims.ts';
import { claimsMax } from './claims/oldest-claims.ts';
import { decideStaleClaims, releaseStaleClaims } from './claims/stale-claims.ts';

const at = noon + 10 * minute;
const olderThanMs = 5 * minute;
const promoted = claimOn('a');
const unanswered: Claim = { ...promoted, state: 'claimed', runnerName: undefined };

describe('a claim', () => {
  it.for<readonly [string, Partial<Claim>, number]>([
    ['that was not promoted for long is released', {}, 1],
    ['that is young is kept', { claimedAt: at - olderThanMs }, 0],
    ['that was promoted is kept, however old', { state: 'running' }, 0],
  ])('%s', ([, other, count]) => {
    expect(decideStaleClaims([{ ...unanswered, ...other }], { at, olderThanMs })).toHaveLength(count);
  });

  const over = (id: string): Job => newJob(draft(id), 'completed');
  const going = (id: string): Job => newJob(draft(id), 'running');
  it.for<readonly [string, Partial<Claim>, readonly Job[], number]>([
    ['whose job is over is ended', {}, [over('1')], 1],
    ['whose job goes on is kept', {}, [going('1')], 0],
    ['whose job is unknown is kept', {}, [], 0],
    ['whose runner has another job is kept', { executedJobId: '2' }, [over('1'), going('2')], 0],
    ['whose runner has done another job is ended', { executedJobId: '2' }, [over('1'), over('2')], 1],
    ['that is young is kept', { claimedAt: at - olderThanMs }, [over('1')], 0],
    ['that was not promoted is kept: another worker releases it', { state: 'claimed' }, [over('1')], 0],
  ])('%s', ([, other, jobs, count]) => {
    const known = new Map(jobs.map((job) => [job.id, job]));
    const look = { at, olderThanMs, claims: [{ ...promoted, ...other }], jobs: known };
    expect(decideCompletedClaims(look)).toHaveLength(count);
  });
});

describe('only the oldest claims are ended where there are too many for one run', () => {
  /** Youngest claim first. */
  const many = (state: Claim['state']): readonly Claim[] =>
    Array.from({ length: claimsMax + 1 }, (_, age) => ({
      ...promoted,
      state,
      generation: String(age),
      claimedAt: at - olderThanMs - 1 - age,
    }));
  const oldestFirst = Array.from({ length: claimsMax }, (_, index) => String(claimsMax - index));

  it('stale claims', () => {
    const chosen = decideStaleClaims(many('claimed'), { at, olderThanMs });
    expect(chosen.map(({ generation }) => generation)).toEqual(oldestFirst);
  });

  it('claims whose job is over', () => {
    const jobs = new Map([['1', newJob(draft('1'), 'completed')]]);
    const chosen = decideCompletedClaims({ at, olderThanMs, claims: many('running'), jobs });
    expect(chosen.map(({ generation }) => generation)).toEqual(oldestFirst);
  });
});

describe('in the store', () => {
  let harness: RecoveryHarness;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    await harness.install();
  });

  it('a claim of a dead replica is released with the reason, and its job is requeued', async () => {
    const id = await harness.queueJob();
    await harness.claim('a');
    await harness.clock.pass(olderThanMs);
    expect(await releaseStaleClaims(harness.ports, olderThanMs)).toBe(0);
    await harness.clock.pass(1);
    expect(await releaseStaleClaims(harness.ports, olderThanMs)).toBe(1);
    expect((await harness.job(id)).state).toBe('queued');
    expect(await harness.store.acts({ podUids: [podOf('a').uid], limit: 5 })).toMatchObject([
      { kind: 'stale_claim', jobId: id, outcome: 'released', evidence: { claimedForMs: olderThanMs + 1 } },
    ]);
  });

  it('a claim whose job another runner did is ended, and the session of its Pod stays open', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    const end = { runnerName: 'other', startedAt: noon, conclusion: 'success', at: noon };
    await harness.store.apply({ kind: 'complete', job: harness.draftOf(id), end });
    await harness.clock.pass(olderThanMs + 1);
    await settleCompletedClaims(harness.ports, olderThanMs);
    expect(await harness.store.claims()).toEqual([]);
    expect(await harness.store.openSessions()).toHaveLength(1);
    expect(harness.recovered).toEqual(['completed_claim']);
    const [act] = await harness.store.acts({ jobId: id, limit: 1 });
    expect(act).toMatchObject({ evidence: { overForMs: olderThanMs + 1, conclusion: 'success' } });
  });

  it('a failed release does not stop the others, and the run counts as failed', async () => {
    const ids = [await harness.queueJob(), await harness.queueJob()];
    const { generation } = await harness.claim('a');
    await harness.clock.pass(1);
    await harness.claim('b');
    await harness.clock.pass(olderThanMs + 1);
    const { store } = harness;
    const release: typeof store.release = async (of, act) => {
      if (of === generation) throw new Error('the row is locked');
      return store.release(of, act);
    };
    const ports = { ...harness.ports, store: { claims: async () => store.claims(), release } };
    await expect(releaseStaleClaims(ports, olderThanMs)).rejects.toThrow('the row is locked');
    const states = await Promise.all(ids.map(async (id) => (await harness.job(id)).state));
    expect(states.toSorted()).toEqual(['claimed', 'queued']);
    expect(harness.said).toEqual(['failed to release stale claim']);
  });

  it('a failed end of a claim does not stop the others', async () => {
    const ids = [await harness.queueJob(), await harness.queueJob()];
    const first = await harness.serve('a');
    await harness.clock.pass(1);
    await harness.serve('b');
    const end = { runnerName: 'other', startedAt: noon, conclusion: 'success', at: noon };
    for (const id of ids) await harness.store.apply({ kind: 'complete', job: harness.draftOf(id), end });
    await harness.clock.pass(olderThanMs + 1);
    const settle = harness.store.settle.bind(harness.store);
    harness.store.settle = async (of, act) => {
      if (of === first.claim.generation) throw new Error('the row is locked');
      return settle(of, act);
    };
    await expect(settleCompletedClaims(harness.ports, olderThanMs)).rejects.toThrow('locked');
    expect(await harness.store.claims()).toHaveLength(1);
  });
});
