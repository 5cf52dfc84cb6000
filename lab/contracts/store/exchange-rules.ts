/** A runner may take another job than its own; its claim then moves to that job, and the first job waits again. */
import { expect } from 'vitest';
import type { Rule } from './rules.ts';
import { draft, endedBy, heard, noon, type Fixture } from './harness.ts';

const job = draft('1');

/** A waiting job of an account with enough budget. */
async function oneJob(fixture: Fixture): Promise<void> {
  await fixture.account('7');
  await fixture.queued(job);
}

export const exchangeRules: readonly Rule[] = [
  {
    rule: 'runners that take the jobs of each other exchange claims, in any order of the webhooks',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job, draft('2'));
      const first = await fixture.serve('a', 'runner-a');
      const second = await fixture.serve('b', 'runner-b');
      expect([first.jobId, second.jobId]).toEqual(['1', '2']);
      await fixture.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await jobsOfClaims(fixture)).toEqual({ a: ['2', '2'], b: ['1', undefined] });
      expect(await fixture.store.job('1')).toMatchObject({ state: 'running', generation: second.generation });
      await fixture.deliver({ kind: 'start', job, runnerName: 'runner-b', at: noon });
      expect(await jobsOfClaims(fixture)).toEqual({ a: ['2', '2'], b: ['1', '1'] });
    },
  },
  {
    rule: 'a job whose runner took an unclaimed job waits again at once',
    proves: async (fixture) => {
      await oneJob(fixture);
      await fixture.serve('a', 'runner-a');
      await fixture.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await jobsOfClaims(fixture)).toEqual({ a: ['2', '2'] });
      expect([await fixture.stateOf(job), await fixture.stateOf(draft('2'))]).toEqual(['queued', 'running']);
      expect(heard(await fixture.ask(['b']))).toEqual(['1']);
      await fixture.deliver({ kind: 'complete', job: draft('2'), end: endedBy('runner-a') });
      expect(await fixture.claimedPods()).toEqual(['b']);
    },
  },
  {
    rule: 'the job waits again even when the end of the other job is the first webhook of that job',
    proves: async (fixture) => {
      await oneJob(fixture);
      await fixture.serve('a', 'runner-a');
      await fixture.deliver({ kind: 'complete', job: draft('2'), end: endedBy('runner-a') });
      expect(await fixture.claimedPods()).toEqual([]);
      expect(await fixture.stateOf(job)).toBe('queued');
    },
  },
  {
    rule: 'a claim that is exchanged before its promotion is released with its new job',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job, draft('2'));
      await fixture.serve('a', 'runner-a');
      const second = await fixture.claim('b');
      await fixture.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await fixture.stateOf(job)).toBe('claimed');
      expect(await fixture.store.release(second.generation)).toBe('released');
      expect([await fixture.stateOf(job), await fixture.stateOf(draft('2'))]).toEqual(['queued', 'running']);
    },
  },
  {
    rule: 'when a Pod stops after an exchange, GitHub decides about the new job',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job, draft('2'));
      await fixture.serve('a', 'runner-a');
      await fixture.serve('b', 'runner-b');
      await fixture.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await fixture.stop('b')).toMatchObject([{ id: '1', state: 'running' }]);
    },
  },
  {
    rule: 'a job of another pool does not get the claim of the runner that took the job',
    proves: async (fixture) => {
      await oneJob(fixture);
      await fixture.serve('a', 'runner-a');
      const stranger = draft('2', { pool: 'other' });
      await fixture.deliver({ kind: 'start', job: stranger, runnerName: 'runner-a', at: noon });
      expect(await jobsOfClaims(fixture)).toEqual({ a: ['1', '2'] });
      expect(await fixture.stateOf(job)).toBe('running');
    },
  },
  {
    rule: 'a claim whose own runner is busy elsewhere is not exchanged: the runner could not take the other job',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job, draft('2'));
      await fixture.serve('a', 'runner-a');
      await fixture.serve('b', 'runner-b');
      const stranger = draft('3', { pool: 'other' });
      await fixture.deliver({ kind: 'start', job: stranger, runnerName: 'runner-b', at: noon });
      await fixture.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await jobsOfClaims(fixture)).toEqual({ a: ['1', '2'], b: ['2', '3'] });
    },
  },
];

/** By Pod: the job of its claim, and the job that it executes. */
async function jobsOfClaims(fixture: Fixture): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const claims = await fixture.store.claims();
  return Object.fromEntries(
    claims.map(({ pod, jobId, executedJobId }) => [pod.name, [jobId, executedJobId]]),
  );
}
