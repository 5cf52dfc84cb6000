/** A runner may take another job than it was registered for; its claim then goes to that job, and the other one waits again. */
import { expect } from 'vitest';
import type { Rule } from './rules.ts';
import { draft, endedBy, heard, noon, type Stage } from './stage.ts';

const job = draft('1');

/** A job that waits, of an account with room for it. */
async function oneJob(stage: Stage): Promise<void> {
  await stage.account('7');
  await stage.queued(job);
}

export const exchangeRules: readonly Rule[] = [
  {
    rule: 'runners that take the jobs of each other exchange claims, in whatever order that is told',
    proves: async (stage) => {
      await stage.account('7');
      await stage.queued(job, draft('2'));
      const first = await stage.serve('a', 'runner-a');
      const second = await stage.serve('b', 'runner-b');
      expect([first.jobId, second.jobId]).toEqual(['1', '2']);
      await stage.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await jobsOfClaims(stage)).toEqual({ a: ['2', '2'], b: ['1', undefined] });
      expect(await stage.store.job('1')).toMatchObject({ state: 'running', generation: second.generation });
      await stage.deliver({ kind: 'start', job, runnerName: 'runner-b', at: noon });
      expect(await jobsOfClaims(stage)).toEqual({ a: ['2', '2'], b: ['1', '1'] });
    },
  },
  {
    rule: 'a job whose runner took one that nobody was reserved for waits again at once',
    proves: async (stage) => {
      await oneJob(stage);
      await stage.serve('a', 'runner-a');
      await stage.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await jobsOfClaims(stage)).toEqual({ a: ['2', '2'] });
      expect([await stage.stateOf(job), await stage.stateOf(draft('2'))]).toEqual(['queued', 'running']);
      expect(heard(await stage.ask(['b']))).toEqual(['1']);
      await stage.deliver({ kind: 'complete', job: draft('2'), end: endedBy('runner-a') });
      expect(await stage.claimedPods()).toEqual(['b']);
    },
  },
  {
    rule: 'it waits again also when the end of that other job is the first that is heard of it',
    proves: async (stage) => {
      await oneJob(stage);
      await stage.serve('a', 'runner-a');
      await stage.deliver({ kind: 'complete', job: draft('2'), end: endedBy('runner-a') });
      expect(await stage.claimedPods()).toEqual([]);
      expect(await stage.stateOf(job)).toBe('queued');
    },
  },
  {
    rule: 'a claim that is exchanged before it was promoted is given back with the job that it has then',
    proves: async (stage) => {
      await stage.account('7');
      await stage.queued(job, draft('2'));
      await stage.serve('a', 'runner-a');
      const second = await stage.claim('b');
      await stage.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await stage.stateOf(job)).toBe('claimed');
      expect(await stage.store.release(second.generation)).toBe('released');
      expect([await stage.stateOf(job), await stage.stateOf(draft('2'))]).toEqual(['queued', 'running']);
    },
  },
  {
    rule: 'a Pod that stops after its claim was exchanged leaves the job that it has then to GitHub',
    proves: async (stage) => {
      await stage.account('7');
      await stage.queued(job, draft('2'));
      await stage.serve('a', 'runner-a');
      await stage.serve('b', 'runner-b');
      await stage.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await stage.stop('b')).toMatchObject([{ id: '1', state: 'running' }]);
    },
  },
  {
    rule: 'a job of another pool does not take the claim of the runner that took it',
    proves: async (stage) => {
      await oneJob(stage);
      await stage.serve('a', 'runner-a');
      const stranger = draft('2', { pool: 'other' });
      await stage.deliver({ kind: 'start', job: stranger, runnerName: 'runner-a', at: noon });
      expect(await jobsOfClaims(stage)).toEqual({ a: ['1', '2'] });
      expect(await stage.stateOf(job)).toBe('running');
    },
  },
  {
    rule: 'a claim whose own runner is at work elsewhere is not exchanged: it could not take what would be left',
    proves: async (stage) => {
      await stage.account('7');
      await stage.queued(job, draft('2'));
      await stage.serve('a', 'runner-a');
      await stage.serve('b', 'runner-b');
      const stranger = draft('3', { pool: 'other' });
      await stage.deliver({ kind: 'start', job: stranger, runnerName: 'runner-b', at: noon });
      await stage.deliver({ kind: 'start', job: draft('2'), runnerName: 'runner-a', at: noon });
      expect(await jobsOfClaims(stage)).toEqual({ a: ['1', '2'], b: ['2', '3'] });
    },
  },
];

/** By Pod: which job its claim is for, and which it executes. */
async function jobsOfClaims(stage: Stage): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const claims = await stage.store.claims();
  return Object.fromEntries(
    claims.map(({ pod, jobId, executedJobId }) => [pod.name, [jobId, executedJobId]]),
  );
}
