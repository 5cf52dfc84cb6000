/**
 * Whatever happens to a job, a claim or the App, all replicas hear at once that a Pod may get something now. A poll later they would
 * find it anyway, so nothing else shows that one of these is not told.
 */
import { expect } from 'vitest';
import { actDraft, draft, endedBy, noon, type Fixture } from '../../../lab/contracts/store/harness.ts';
import { listen } from './listen.ts';
import type { Fault } from './fault-harness.ts';

const [job, sibling] = [draft('1'), draft('2')];

interface WakeEvents {
  readonly when: string;
  /** What goes before, and what then brings the news. */
  readonly prepare: (fixture: Fixture) => Promise<() => Promise<unknown>>;
}

const events: readonly WakeEvents[] = [
  {
    when: 'a claim is released',
    prepare: async (fixture) => {
      const { generation } = await fixture.claim('a');
      return async () => fixture.store.release(generation);
    },
  },
  {
    when: 'a Pod stops that was not served yet',
    prepare: async (fixture) => {
      await fixture.claim('a');
      return async () => fixture.stop('a');
    },
  },
  {
    when: 'a job is abandoned',
    prepare: async (fixture) => {
      const { generation } = await fixture.serve('a', 'runner-a');
      const abandonment = { jobId: job.id, generation, evidence: 'aged_out' } as const;
      return async () => fixture.store.abandon(abandonment, actDraft('act'));
    },
  },
  {
    when: 'a claim is settled',
    prepare: async (fixture) => {
      const { generation } = await fixture.serve('a', 'runner-a');
      await fixture.deliver({ kind: 'complete', job, end: endedBy(undefined) });
      return async () => fixture.store.settle(generation, actDraft('act'));
    },
  },
  {
    when: 'a runner takes another job than its own, which waits again',
    prepare: async (fixture) => {
      await fixture.serve('a', 'runner-a');
      return async () => fixture.deliver({ kind: 'start', job: sibling, runnerName: 'runner-a', at: noon });
    },
  },
  {
    when: 'a job ends, and with it what it takes of the limits of its account',
    prepare: async (fixture) => {
      await fixture.serve('a', 'runner-a');
      return async () => fixture.deliver({ kind: 'complete', job, end: endedBy('runner-a') });
    },
  },
  {
    when: 'an account has its App again',
    prepare: async (fixture) => {
      await fixture.installed('7', 'suspended');
      return async () => fixture.installed('7', 'active');
    },
  },
];

function wakeRule({ when, prepare }: WakeEvents): Fault {
  return {
    rule: `a listener hears when ${when}`,
    proves: async (harness) => {
      const { fixture, operator } = harness;
      await fixture.account('7');
      await fixture.queued(job);
      const happen = await prepare(fixture);
      const { listener, woken } = listen(harness);
      await listener.start();
      await happen();
      // Wake-ups come in the order of commits.
      await operator.query(`select pg_notify('muster_jobs', 'last')`);
      await harness.until(async () => (woken.includes('last') ? true : undefined));
      expect(woken).toEqual([undefined, 'linux', 'last']);
    },
  };
}

export const wakeRules: readonly Fault[] = events.map(wakeRule);
