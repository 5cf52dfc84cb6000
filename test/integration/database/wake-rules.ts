/**
 * Every change of a job, a claim or the App that may give a Pod something wakes all replicas at once. A poll would find
 * the change later anyway, so no other test shows a missing wake-up.
 */
import { expect } from 'vitest';
import { actDraft, draft, endedBy, noon, type Fixture } from '../../../lab/contracts/store/harness.ts';
import { listen } from './listen.ts';
import type { Fault } from './fault-harness.ts';

const [job, sibling] = [draft('1'), draft('2')];

interface WakeEvents {
  readonly when: string;
  /** Prepares the state, and returns the action that must wake. */
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
    when: 'a Pod stops before it was served',
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
    when: 'a job ends, and frees its share of the limits of its account',
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
    rule: `a listener is notified when ${when}`,
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
