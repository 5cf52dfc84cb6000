/**
 * Whatever happens to a job, a claim or the App, all replicas hear at once that a Pod may get something now. A poll later they would
 * find it anyway, so nothing else shows that one of these is not told.
 */
import { expect } from 'vitest';
import { actDraft, draft, endedBy, noon, type Stage } from '../../src/dispatch/store/contract/stage.ts';
import { listen } from './listen.ts';
import type { Fault } from './fault-stand.ts';

const [job, sibling] = [draft('1'), draft('2')];

interface News {
  readonly when: string;
  /** What goes before, and what then brings the news. */
  readonly prepare: (stage: Stage) => Promise<() => Promise<unknown>>;
}

const news: readonly News[] = [
  {
    when: 'a claim is released',
    prepare: async (stage) => {
      const { generation } = await stage.claim('a');
      return async () => stage.store.release(generation);
    },
  },
  {
    when: 'a Pod stops that was not served yet',
    prepare: async (stage) => {
      await stage.claim('a');
      return async () => stage.stop('a');
    },
  },
  {
    when: 'a job is abandoned',
    prepare: async (stage) => {
      const { generation } = await stage.serve('a', 'runner-a');
      const abandonment = { jobId: job.id, generation, evidence: 'aged_out' } as const;
      return async () => stage.store.abandon(abandonment, actDraft('act'));
    },
  },
  {
    when: 'a claim is settled',
    prepare: async (stage) => {
      const { generation } = await stage.serve('a', 'runner-a');
      await stage.deliver({ kind: 'complete', job, end: endedBy(undefined) });
      return async () => stage.store.settle(generation, actDraft('act'));
    },
  },
  {
    when: 'a runner takes another job than its own, which waits again',
    prepare: async (stage) => {
      await stage.serve('a', 'runner-a');
      return async () => stage.deliver({ kind: 'start', job: sibling, runnerName: 'runner-a', at: noon });
    },
  },
  {
    when: 'a job ends, and with it what it takes of the limits of its account',
    prepare: async (stage) => {
      await stage.serve('a', 'runner-a');
      return async () => stage.deliver({ kind: 'complete', job, end: endedBy('runner-a') });
    },
  },
  {
    when: 'an account has its App again',
    prepare: async (stage) => {
      await stage.installed('7', 'suspended');
      return async () => stage.installed('7', 'active');
    },
  },
];

function wakeRule({ when, prepare }: News): Fault {
  return {
    rule: `a listener hears when ${when}`,
    proves: async (stand) => {
      const { stage, operator } = stand;
      await stage.account('7');
      await stage.queued(job);
      const happen = await prepare(stage);
      const { listener, woken } = listen(stand);
      await listener.start();
      await happen();
      // Wake-ups come in the order of commits.
      await operator.query(`select pg_notify('muster_jobs', 'last')`);
      await stand.until(async () => (woken.includes('last') ? true : undefined));
      expect(woken).toEqual([undefined, 'linux', 'last']);
    },
  };
}

export const wakeRules: readonly Fault[] = news.map(wakeRule);
