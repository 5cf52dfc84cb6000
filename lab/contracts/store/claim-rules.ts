/** A claim ties one Pod to one job, under a name that is never used again. */
import { expect } from 'vitest';
import type { Rule } from './rules.ts';
import { draft, endedBy, heard, noon, podOf, type Fixture } from './harness.ts';

const job = draft('1');

/** A waiting job of an account with enough budget. */
async function oneJob(fixture: Fixture): Promise<void> {
  await fixture.account('7');
  await fixture.queued(job);
}

function withoutAppRule(state: 'suspended' | 'removed'): Rule {
  return {
    rule: `jobs of an account whose App is ${state} are not claimed, and are claimed again when the App is back`,
    proves: async (fixture) => {
      await oneJob(fixture);
      await fixture.account('8');
      await fixture.queued(draft('2', { accountId: '8', installationId: '8', queuedAt: noon + 1 }));
      await fixture.installed('7', state);
      expect(await fixture.store.signals('linux', noon)).toMatchObject({ queued: 1, withheld: 1 });
      expect(heard(await fixture.ask(['a', 'b']))).toEqual(['2', 'nothing']);
      // A removed installation comes back under another id.
      await fixture.installed('7', 'active', state === 'removed' ? '70' : '7');
      expect(await fixture.store.signals('linux', noon)).toMatchObject({ queued: 1, withheld: 0 });
      expect(heard(await fixture.ask(['b']))).toEqual(['1']);
    },
  };
}

export const claimRules: readonly Rule[] = [
  {
    rule: 'the holder of an older claim changes nothing',
    proves: async (fixture) => {
      await oneJob(fixture);
      const older = await fixture.claim('a');
      await fixture.store.release(older.generation);
      const newer = await fixture.claim('b');
      expect(await fixture.promote(older, 'runner-a')).toBe('stale');
      expect(await fixture.store.release(older.generation)).toBe('stale');
      expect(await fixture.store.claims()).toEqual([newer]);
      expect(await fixture.store.job('1')).toMatchObject({ state: 'claimed', generation: newer.generation });
      expect(await fixture.store.openSessions()).toEqual([]);
    },
  },
  {
    rule: 'a Pod that polls again loses its unanswered claim, and may claim the same job anew',
    proves: async (fixture) => {
      await oneJob(fixture);
      const first = await fixture.claim('a');
      const second = await fixture.claim('a');
      expect(second.jobId).toBe(first.jobId);
      expect(second.generation).not.toBe(first.generation);
      expect(await fixture.promote(first, 'runner-a')).toBe('stale');
      expect(await fixture.promote(second, 'runner-b')).toBe('promoted');
    },
  },
  {
    rule: 'a promoted claim is not released, and its job is given to no other Pod',
    proves: async (fixture) => {
      await oneJob(fixture);
      const { generation } = await fixture.serve('a', 'runner-a');
      expect(await fixture.store.release(generation)).toBe('stale');
      expect(await fixture.claimedPods()).toEqual(['a']);
      expect(heard(await fixture.ask(['b']))).toEqual(['nothing']);
    },
  },
  {
    rule: 'a served Pod gets no other job while its session is open',
    proves: async (fixture) => {
      await oneJob(fixture);
      await fixture.serve('a', 'runner-a');
      await fixture.deliver({ kind: 'complete', job, end: endedBy('runner-a') });
      await fixture.queued(draft('2'));
      expect(heard(await fixture.ask(['a', 'b']))).toEqual(['served', '2']);
    },
  },
  {
    rule: 'a repeated promotion answers the same and opens no second session; another runner name is stale',
    proves: async (fixture) => {
      await oneJob(fixture);
      const claim = await fixture.claim('a');
      expect(await fixture.promote(claim, 'runner-a')).toBe('promoted');
      expect(await fixture.promote(claim, 'runner-a')).toBe('promoted');
      expect(await fixture.promote(claim, 'runner-b')).toBe('stale');
      expect(await fixture.store.openSessions()).toHaveLength(1);
    },
  },
  {
    rule: 'a claim whose job ended meanwhile is not promoted',
    proves: async (fixture) => {
      await oneJob(fixture);
      const claim = await fixture.claim('a');
      await fixture.deliver({ kind: 'complete', job, end: endedBy(undefined) });
      expect(await fixture.promote(claim, 'runner-a')).toBe('finished');
      expect(await fixture.store.release(claim.generation)).toBe('released');
      expect(await fixture.stateOf(job)).toBe('completed');
    },
  },
  {
    rule: 'a claim whose job another runner already has is not promoted, and does not change the job',
    proves: async (fixture) => {
      await oneJob(fixture);
      const claim = await fixture.claim('a');
      await fixture.deliver({ kind: 'start', job, runnerName: 'stranger', at: noon });
      expect(await fixture.promote(claim, 'runner-a')).toBe('finished');
      expect(await fixture.store.openSessions()).toEqual([]);
      expect(await fixture.store.release(claim.generation)).toBe('released');
      expect(await fixture.store.job('1')).toMatchObject({ state: 'running', executor: 'stranger' });
      expect(heard(await fixture.ask(['a']))).toEqual(['nothing']);
    },
  },
  {
    rule: 'a Pod that stops before it was served gives its job back; afterwards only GitHub knows',
    proves: async (fixture) => {
      await oneJob(fixture);
      await fixture.claim('a');
      expect(await fixture.stop('a')).toEqual([]);
      expect(await fixture.stateOf(job)).toBe('queued');
      await fixture.serve('b', 'runner-b');
      expect(await fixture.stop('b')).toMatchObject([{ id: '1', state: 'running' }]);
      expect(await fixture.claimedPods()).toEqual([]);
      expect(await fixture.store.openSessions()).toEqual([]);
      expect(await fixture.store.lastSession({ podName: 'a' })).toBeUndefined();
      const { name: podName, uid: podUid } = podOf('b');
      const its = { jobId: '1', runnerName: 'runner-b', endedAt: expect.any(Number) };
      expect(await fixture.store.lastSession({ podName })).toMatchObject(its);
      expect(await fixture.store.lastSession({ podUid })).toMatchObject(its);
      expect(await fixture.store.lastSession({ podUid: podName })).toBeUndefined();
    },
  },
  {
    rule: 'a session, open or closed, is found by account and runner name',
    proves: async (fixture) => {
      await oneJob(fixture);
      await fixture.queued(draft('2'));
      await fixture.serve('a', 'runner-a');
      await fixture.serve('b', 'runner-b');
      await fixture.stop('a');
      const [ours, others] = [job.accountId, 'another'];
      const sessionsOf = async (...runners: readonly (readonly [string, string])[]) => {
        const named = runners.map(([accountId, runnerName]) => ({ accountId, runnerName }));
        const sessions = await fixture.store.sessionsOf(named);
        return sessions.map(({ pod, runnerName }) => `${runnerName} in ${pod.name}`).toSorted();
      };
      expect(await sessionsOf([ours, 'runner-a'])).toEqual([`runner-a in ${podOf('a').name}`]);
      expect(await sessionsOf([ours, 'runner-b'], [ours, 'runner-a'])).toHaveLength(2);
      expect(await sessionsOf([ours, 'nobody'], [others, 'runner-a'])).toEqual([]);
      expect(await sessionsOf()).toEqual([]);
      const many = Array.from({ length: 40_000 }, (_, index) => [ours, `of-somebody-${index}`] as const);
      expect(await sessionsOf(...many, [ours, 'runner-b'])).toHaveLength(1);
    },
  },
  {
    rule: 'a Pod with a claim or a session is not blocked',
    proves: async (fixture) => {
      await oneJob(fixture);
      const retire = async (): Promise<string> => fixture.retire('a');
      const claim = await fixture.claim('a');
      expect(await retire()).toBe('in-use');
      await fixture.promote(claim, 'runner-a');
      await fixture.deliver({ kind: 'complete', job, end: endedBy('runner-a') });
      expect(await fixture.claimedPods()).toEqual([]);
      expect(await retire()).toBe('in-use');
      await fixture.stop('a');
      expect(await retire()).toBe('retired');
      expect(await retire()).toBe('retired');
    },
  },
  {
    rule: 'a blocked Pod gets nothing, and the Pods beside it do',
    proves: async (fixture) => {
      await oneJob(fixture);
      await fixture.retire('a');
      expect(heard(await fixture.ask(['a', 'b']))).toEqual(['retired', '1']);
    },
  },
  withoutAppRule('suspended'),
  withoutAppRule('removed'),
  {
    rule: 'jobs continue under the present installation of their account, in any order of the webhooks',
    proves: async (fixture) => {
      const installationOf = async (id: string) => (await fixture.store.job(id))?.installationId;
      await oneJob(fixture);
      await fixture.queued(draft('2'));
      await fixture.deliver({ kind: 'complete', job: draft('2'), end: endedBy(undefined) });
      await fixture.installed('7', 'removed');
      expect(await installationOf('1')).toBe('7');
      await fixture.installed('7', 'active', '70');
      expect([await installationOf('1'), await installationOf('2')]).toEqual(['70', '7']);
      await fixture.installed('7', 'active', '71');
      expect(await installationOf('1')).toBe('70');
      await fixture.installed('7', 'removed', '70');
      expect(await installationOf('1')).toBe('71');
    },
  },
  {
    rule: 'a job on cooldown is skipped, and the jobs behind it are not',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.account('8');
      await fixture.queued(
        draft('1'),
        draft('2', { repository: 'org/other', queuedAt: noon + 1 }),
        draft('3', { accountId: '8', queuedAt: noon + 2 }),
        draft('4', { queuedAt: noon + 3 }),
      );
      const except = {
        jobs: new Set(['1']),
        repositories: new Set(['org/other']),
        accounts: new Set(['8']),
      };
      expect(heard(await fixture.ask(['a', 'b'], { except }))).toEqual(['4', 'nothing']);
    },
  },
];
