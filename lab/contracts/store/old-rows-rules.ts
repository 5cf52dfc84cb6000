/** Old rows are deleted, except rows that may still be needed. */
import { expect } from 'vitest';
import type { Rule } from './rules.ts';
import { draft, endedBy, noon, podOf, type Fixture } from './harness.ts';

const job = draft('1');
const later = noon + 90 * 86_400_000;
const ending = { exitCode: 1, reason: 'Error', logTail: 'what it said last' };

/** The job was finished by a Pod that has stopped since. */
async function done(fixture: Fixture): Promise<void> {
  await fixture.account('7');
  await fixture.queued(job);
  await fixture.serve('a', 'runner-a');
  await fixture.deliver({ kind: 'complete', job, end: endedBy('runner-a') });
  await fixture.store.podStopped({ pod: podOf('a'), at: noon + 3000, ending });
}

export const oldRowsRules: readonly Rule[] = [
  {
    rule: 'a finished job loses its log tail first, and is deleted later, with its session',
    proves: async (fixture) => {
      const { store } = fixture;
      await done(fixture);
      expect(await store.prune({ notesBefore: noon + 2000, jobsBefore: noon + 2000 })).toBe('all');
      expect((await store.job('1'))?.ending).toEqual(ending);
      await store.prune({ notesBefore: noon + 2001, jobsBefore: 0 });
      expect((await store.job('1'))?.ending).toEqual({ ...ending, logTail: '' });
      await store.prune({ notesBefore: later, jobsBefore: later });
      expect([await store.job('1'), (await store.signals('linux', noon + 4000)).p95LastHour]).toEqual([
        undefined,
        0,
      ]);
    },
  },
  {
    rule: 'a deleted job may return as a new job',
    proves: async (fixture) => {
      await done(fixture);
      await fixture.store.prune({ notesBefore: later, jobsBefore: later });
      await fixture.queued(job);
      expect(await fixture.stateOf(job)).toBe('queued');
    },
  },
  {
    rule: 'a job stays until its session is old enough',
    proves: async (fixture) => {
      await done(fixture);
      await fixture.store.prune({ notesBefore: 0, jobsBefore: noon + 3000 });
      expect(await fixture.stateOf(job)).toBe('completed');
    },
  },
  {
    rule: 'an unfinished job stays at any age, and so does a job whose Pod may be busy',
    proves: async (fixture) => {
      await fixture.account('7');
      const [waiting, running, executed] = [draft('2'), draft('3'), draft('4', { pool: 'other' })];
      await fixture.deliver({ kind: 'wait', job: waiting });
      await fixture.queued(job);
      await fixture.serve('a', 'runner-a');
      await fixture.deliver({ kind: 'complete', job: executed, end: endedBy('runner-a') });
      await fixture.deliver({ kind: 'complete', job, end: endedBy(undefined) });
      await fixture.deliver({ kind: 'start', job: running, runnerName: 'stranger', at: noon });
      await fixture.store.prune({ notesBefore: later, jobsBefore: later });
      const states = async () => Promise.all([job, waiting, running, executed].map(stateOf(fixture)));
      expect(await states()).toEqual(['completed', 'waiting', 'running', 'completed']);
      await fixture.stop('a');
      await fixture.store.prune({ notesBefore: later, jobsBefore: later });
      expect(await states()).toEqual([undefined, 'waiting', 'running', undefined]);
    },
  },
  {
    rule: 'a job of an open claim stays until the claim is settled, so that settling is possible',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job);
      const claim = await fixture.claim('a');
      await fixture.deliver({ kind: 'complete', job, end: endedBy(undefined) });
      await fixture.store.prune({ notesBefore: later, jobsBefore: later });
      expect(await fixture.stateOf(job)).toBe('completed');
      expect(await fixture.store.release(claim.generation)).toBe('released');
      await fixture.store.prune({ notesBefore: later, jobsBefore: later });
      expect(await fixture.stateOf(job)).toBeUndefined();
    },
  },
];

function stateOf(fixture: Fixture) {
  return async (one: typeof job) => fixture.stateOf(one);
}
