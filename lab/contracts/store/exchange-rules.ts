/** A runner may take another job than it was registered for; its claim then goes to that job, and the other one waits again. */
import { expect } from 'vitest';
import type { Rule } from './rules.ts';
import { draft, endedBy, heard, noon, type Fixture } from './harness.ts';

const job = draft('1');

/** A job that waits, of an account with room for it. */
async function oneJob(fixture: Fixture): Promise<void> {
  await fixture.account('7');
  await fixture.queued(job);
}

export const exchangeRules: readonly Rule[] = [
  {
    rule: 'runners that take the jobs of each other exchange claims, in whatever order that is told',
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
    rule: 'a job whose runner took one that nobody was reserved for waits again at once',
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
    rule: 'it waits again also when the end of that other job is the first that is heard of it',
    proves: async (fixture) => {
      await oneJob(fixture);
      await fixture.serve('a', 'runner-a');
      await fixture.deliver({ kind: 'complete', job: draft('2'), end: endedBy('runner-a') });
      expect(await fixture.claimedPods()).toEqual([]);
      expect(await fixture.stateOf(job)).toBe('queued');
    },
  },
  {
    rule: 'a claim that is exchanged before it was promoted is given back with the job that it has then',
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
    rule: 'a Pod that stops after its claim was exchanged leaves the job that it has then to GitHub',
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
    rule: 'a job of another pool does not take the claim of the runner that took it',
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
    rule: 'a claim whose own runner is at work elsewhere is not exchanged: it could not take what would be left',
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

/** By Pod: which job its claim is for, and which it executes. */
async function jobsOfClaims(fixture: Fixture): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const claims = await fixture.store.claims();
  return Object.fromEntries(
    claims.map(({ pod, jobId, executedJobId }) => [pod.name, [jobId, executedJobId]]),
  );
}
