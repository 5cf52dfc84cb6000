/** The job events of a store: one event for each change, with its time, and none without a change. */
import { expect } from 'vitest';
import type { JobEvent } from '../../../src/dispatch/store/job-events.ts';
import type { Rule } from './rules.ts';
import { actDraft, draft, endedBy, noon, podOf, type Fixture } from './harness.ts';

const second = 1000;
const job = draft('1', { queuedAt: noon - 5 * second });

async function claimed(fixture: Fixture): Promise<string> {
  await fixture.account('7');
  await fixture.queued(job);
  return (await fixture.claim('a', { at: noon - second })).generation;
}

function kindsOf(fixture: Fixture): readonly JobEvent['kind'][] {
  return fixture.reported.map(({ kind }) => kind);
}

const once: readonly Rule[] = [
  {
    rule: 'the steps of a job emit events with its pool and its times, each once, however often the step is repeated',
    proves: async (fixture) => {
      const generation = await claimed(fixture);
      await fixture.deliver({ kind: 'enqueue', job });
      await fixture.promote({ generation }, 'runner-a');
      await fixture.promote({ generation }, 'runner-a');
      await fixture.deliver({ kind: 'start', job, runnerName: 'runner-a', at: noon + second });
      for (const guid of ['end', 'end', 'end, repeated'])
        await fixture.deliver({ kind: 'complete', job, end: endedBy('runner-a') }, guid);
      const { pool, queuedAt } = job;
      expect(fixture.reported).toEqual([
        { kind: 'enqueued', pool },
        { kind: 'claimed', pool, queuedAt, at: noon - second },
        { kind: 'running', pool, queuedAt, claimedAt: noon - second, at: noon },
        {
          kind: 'completed',
          pool,
          conclusion: 'success',
          queuedAt,
          startedAt: noon + second,
          at: noon + 2 * second,
        },
      ]);
    },
  },
  {
    rule: 'a job that needs an approval emits its first event when it begins to wait for a Pod',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.deliver({ kind: 'wait', job });
      expect(kindsOf(fixture)).toEqual([]);
      await fixture.deliver({ kind: 'enqueue', job });
      expect(kindsOf(fixture)).toEqual(['enqueued']);
    },
  },
  {
    rule: 'a job that is given up without a runner emits completed, without a start',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job);
      const given = { jobId: job.id, from: 'queued', conclusion: 'stale', at: noon } as const;
      for (const id of ['first', 'second']) await fixture.store.giveUp(given, actDraft(id));
      const { pool, queuedAt } = job;
      expect(fixture.reported.slice(1)).toEqual([
        { kind: 'completed', pool, conclusion: 'stale', queuedAt, startedAt: undefined, at: noon },
      ]);
    },
  },
];

const requeued: readonly Rule[] = [
  {
    rule: 'a released claim emits requeued once, and a claim whose job is over emits none',
    proves: async (fixture) => {
      const generation = await claimed(fixture);
      await fixture.store.release(generation);
      await fixture.store.release(generation);
      expect(kindsOf(fixture)).toEqual(['enqueued', 'claimed', 'requeued']);
      const again = await fixture.claim('b');
      await fixture.deliver({ kind: 'complete', job, end: endedBy('of-somebody') });
      await fixture.store.release(again.generation);
      expect(kindsOf(fixture).slice(3)).toEqual(['claimed', 'completed']);
    },
  },
  {
    rule: 'a claim that ends because its Pod polls again or is gone emits requeued',
    proves: async (fixture) => {
      await claimed(fixture);
      await fixture.claim('a');
      expect(kindsOf(fixture)).toEqual(['enqueued', 'claimed', 'requeued', 'claimed']);
      await fixture.stop('a');
      await fixture.stop('a');
      expect(kindsOf(fixture).slice(4)).toEqual(['requeued']);
    },
  },
  {
    rule: 'a job that is taken from a runner that never started emits requeued once',
    proves: async (fixture) => {
      const generation = await claimed(fixture);
      await fixture.promote({ generation }, 'runner-a');
      const abandonment = { jobId: job.id, generation, evidence: 'aged_out' } as const;
      for (const id of ['first', 'second'])
        await fixture.store.abandon(abandonment, actDraft(id, { pod: podOf('a') }));
      expect(kindsOf(fixture)).toEqual(['enqueued', 'claimed', 'running', 'requeued']);
    },
  },
];

export const eventRules: readonly Rule[] = [...once, ...requeued];
