/** What a store tells of jobs: each thing once, when it happened, and nothing where nothing changed. */
import { expect } from 'vitest';
import type { JobEvent } from '../job-events.ts';
import type { Rule } from './rules.ts';
import { actDraft, draft, endedBy, noon, podOf, type Stage } from './stage.ts';

const second = 1000;
const job = draft('1', { queuedAt: noon - 5 * second });

async function claimed(stage: Stage): Promise<string> {
  await stage.account('7');
  await stage.queued(job);
  return (await stage.claim('a', { at: noon - second })).generation;
}

function kindsOf(stage: Stage): readonly JobEvent['kind'][] {
  return stage.told.map(({ kind }) => kind);
}

const once: readonly Rule[] = [
  {
    rule: 'the life of a job is told with its pool and its times, and each step once however often it is asked for',
    proves: async (stage) => {
      const generation = await claimed(stage);
      await stage.deliver({ kind: 'enqueue', job });
      await stage.promote({ generation }, 'runner-a');
      await stage.promote({ generation }, 'runner-a');
      await stage.deliver({ kind: 'start', job, runnerName: 'runner-a', at: noon + second });
      for (const guid of ['end', 'end', 'end, said again'])
        await stage.deliver({ kind: 'complete', job, end: endedBy('runner-a') }, guid);
      const { pool, queuedAt } = job;
      expect(stage.told).toEqual([
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
    rule: 'a job that must be approved is told when it begins to wait for a Pod, and not before',
    proves: async (stage) => {
      await stage.account('7');
      await stage.deliver({ kind: 'wait', job });
      expect(kindsOf(stage)).toEqual([]);
      await stage.deliver({ kind: 'enqueue', job });
      expect(kindsOf(stage)).toEqual(['enqueued']);
    },
  },
  {
    rule: 'a job that nobody took and that is given up is told as completed, without a beginning',
    proves: async (stage) => {
      await stage.account('7');
      await stage.queued(job);
      const given = { jobId: job.id, from: 'queued', conclusion: 'stale', at: noon } as const;
      for (const id of ['first', 'second']) await stage.store.giveUp(given, actDraft(id));
      const { pool, queuedAt } = job;
      expect(stage.told.slice(1)).toEqual([
        { kind: 'completed', pool, conclusion: 'stale', queuedAt, startedAt: undefined, at: noon },
      ]);
    },
  },
];

const requeued: readonly Rule[] = [
  {
    rule: 'a claim that is given back is told as requeued once, and one whose job is over is not',
    proves: async (stage) => {
      const generation = await claimed(stage);
      await stage.store.release(generation);
      await stage.store.release(generation);
      expect(kindsOf(stage)).toEqual(['enqueued', 'claimed', 'requeued']);
      const again = await stage.claim('b');
      await stage.deliver({ kind: 'complete', job, end: endedBy('of-somebody') });
      await stage.store.release(again.generation);
      expect(kindsOf(stage).slice(3)).toEqual(['claimed', 'completed']);
    },
  },
  {
    rule: 'a claim that ends because its Pod asks again or is gone is told as requeued',
    proves: async (stage) => {
      await claimed(stage);
      await stage.claim('a');
      expect(kindsOf(stage)).toEqual(['enqueued', 'claimed', 'requeued', 'claimed']);
      await stage.stop('a');
      await stage.stop('a');
      expect(kindsOf(stage).slice(4)).toEqual(['requeued']);
    },
  },
  {
    rule: 'a job that is taken from a runner that never came is told as requeued once',
    proves: async (stage) => {
      const generation = await claimed(stage);
      await stage.promote({ generation }, 'runner-a');
      const abandonment = { jobId: job.id, generation, evidence: 'aged_out' } as const;
      for (const id of ['first', 'second'])
        await stage.store.abandon(abandonment, actDraft(id, { pod: podOf('a') }));
      expect(kindsOf(stage)).toEqual(['enqueued', 'claimed', 'running', 'requeued']);
    },
  },
];

export const eventRules: readonly Rule[] = [...once, ...requeued];
