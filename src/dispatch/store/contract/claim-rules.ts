/** A claim is of one Pod, for one job, under a name that is never used again. */
import { expect } from 'vitest';
import type { Rule } from './rules.ts';
import { draft, endedBy, heard, noon, podOf, type Stage } from './stage.ts';

const job = draft('1');

/** A job that waits, of an account with room for it. */
async function oneJob(stage: Stage): Promise<void> {
  await stage.account('7');
  await stage.queued(job);
}

function withoutAppRule(state: 'suspended' | 'removed'): Rule {
  return {
    rule: `of an account whose App is ${state} nothing is given out, and it goes on when the App is back`,
    proves: async (stage) => {
      await oneJob(stage);
      await stage.account('8');
      await stage.queued(draft('2', { accountId: '8', installationId: '8', queuedAt: noon + 1 }));
      await stage.installed('7', state);
      expect(await stage.store.signals('linux', noon)).toMatchObject({ queued: 1, withheld: 1 });
      expect(heard(await stage.ask(['a', 'b']))).toEqual(['2', 'nothing']);
      // One that was removed comes back as another.
      await stage.installed('7', 'active', state === 'removed' ? '70' : '7');
      expect(await stage.store.signals('linux', noon)).toMatchObject({ queued: 1, withheld: 0 });
      expect(heard(await stage.ask(['b']))).toEqual(['1']);
    },
  };
}

export const claimRules: readonly Rule[] = [
  {
    rule: 'whoever holds an older claim changes nothing',
    proves: async (stage) => {
      await oneJob(stage);
      const older = await stage.claim('a');
      await stage.store.release(older.generation);
      const newer = await stage.claim('b');
      expect(await stage.promote(older, 'runner-a')).toBe('stale');
      expect(await stage.store.release(older.generation)).toBe('stale');
      expect(await stage.store.claims()).toEqual([newer]);
      expect(await stage.store.job('1')).toMatchObject({ state: 'claimed', generation: newer.generation });
      expect(await stage.store.openSessions()).toEqual([]);
    },
  },
  {
    rule: 'a Pod that asks again gives up the claim that nobody answered, and may win the same job anew',
    proves: async (stage) => {
      await oneJob(stage);
      const first = await stage.claim('a');
      const second = await stage.claim('a');
      expect(second.jobId).toBe(first.jobId);
      expect(second.generation).not.toBe(first.generation);
      expect(await stage.promote(first, 'runner-a')).toBe('stale');
      expect(await stage.promote(second, 'runner-b')).toBe('promoted');
    },
  },
  {
    rule: 'a claim that was promoted is not released, and its job is given to nobody else',
    proves: async (stage) => {
      await oneJob(stage);
      const { generation } = await stage.serve('a', 'runner-a');
      expect(await stage.store.release(generation)).toBe('stale');
      expect(await stage.claimedPods()).toEqual(['a']);
      expect(heard(await stage.ask(['b']))).toEqual(['nothing']);
    },
  },
  {
    rule: 'a Pod that was served gets nothing more, as long as its session is open',
    proves: async (stage) => {
      await oneJob(stage);
      await stage.serve('a', 'runner-a');
      await stage.deliver({ kind: 'complete', job, end: endedBy('runner-a') });
      await stage.queued(draft('2'));
      expect(heard(await stage.ask(['a', 'b']))).toEqual(['served', '2']);
    },
  },
  {
    rule: 'a promotion that is asked for again says the same and opens no second session; another name is stale',
    proves: async (stage) => {
      await oneJob(stage);
      const claim = await stage.claim('a');
      expect(await stage.promote(claim, 'runner-a')).toBe('promoted');
      expect(await stage.promote(claim, 'runner-a')).toBe('promoted');
      expect(await stage.promote(claim, 'runner-b')).toBe('stale');
      expect(await stage.store.openSessions()).toHaveLength(1);
    },
  },
  {
    rule: 'a claim whose job ended meanwhile is not promoted',
    proves: async (stage) => {
      await oneJob(stage);
      const claim = await stage.claim('a');
      await stage.deliver({ kind: 'complete', job, end: endedBy(undefined) });
      expect(await stage.promote(claim, 'runner-a')).toBe('finished');
      expect(await stage.store.release(claim.generation)).toBe('released');
      expect(await stage.stateOf(job)).toBe('completed');
    },
  },
  {
    rule: 'a claim whose job another runner has by now is not promoted, and leaves the job where it is',
    proves: async (stage) => {
      await oneJob(stage);
      const claim = await stage.claim('a');
      await stage.deliver({ kind: 'start', job, runnerName: 'stranger', at: noon });
      expect(await stage.promote(claim, 'runner-a')).toBe('finished');
      expect(await stage.store.openSessions()).toEqual([]);
      expect(await stage.store.release(claim.generation)).toBe('released');
      expect(await stage.store.job('1')).toMatchObject({ state: 'running', executor: 'stranger' });
      expect(heard(await stage.ask(['a']))).toEqual(['nothing']);
    },
  },
  {
    rule: 'a Pod that stops before it was served gives its job back; after that only GitHub knows',
    proves: async (stage) => {
      await oneJob(stage);
      await stage.claim('a');
      expect(await stage.stop('a')).toEqual([]);
      expect(await stage.stateOf(job)).toBe('queued');
      await stage.serve('b', 'runner-b');
      expect(await stage.stop('b')).toMatchObject([{ id: '1', state: 'running' }]);
      expect(await stage.claimedPods()).toEqual([]);
      expect(await stage.store.openSessions()).toEqual([]);
      expect(await stage.store.lastSession({ podName: 'a' })).toBeUndefined();
      const { name: podName, uid: podUid } = podOf('b');
      const its = { jobId: '1', runnerName: 'runner-b', endedAt: expect.any(Number) };
      expect(await stage.store.lastSession({ podName })).toMatchObject(its);
      expect(await stage.store.lastSession({ podUid })).toMatchObject(its);
      expect(await stage.store.lastSession({ podUid: podName })).toBeUndefined();
    },
  },
  {
    rule: 'a runner leads to its session, open or over, by its account and its name',
    proves: async (stage) => {
      await oneJob(stage);
      await stage.queued(draft('2'));
      await stage.serve('a', 'runner-a');
      await stage.serve('b', 'runner-b');
      await stage.stop('a');
      const [ours, others] = [job.accountId, 'another'];
      const sessionsOf = async (...runners: readonly (readonly [string, string])[]) => {
        const named = runners.map(([accountId, runnerName]) => ({ accountId, runnerName }));
        const sessions = await stage.store.sessionsOf(named);
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
    rule: 'a Pod is not retired while a claim or a session speaks for it',
    proves: async (stage) => {
      await oneJob(stage);
      const retire = async (): Promise<string> => stage.retire('a');
      const claim = await stage.claim('a');
      expect(await retire()).toBe('spoken-for');
      await stage.promote(claim, 'runner-a');
      await stage.deliver({ kind: 'complete', job, end: endedBy('runner-a') });
      expect(await stage.claimedPods()).toEqual([]);
      expect(await retire()).toBe('spoken-for');
      await stage.stop('a');
      expect(await retire()).toBe('retired');
      expect(await retire()).toBe('retired');
    },
  },
  {
    rule: 'a Pod that was retired gets nothing, and the others beside it do',
    proves: async (stage) => {
      await oneJob(stage);
      await stage.retire('a');
      expect(heard(await stage.ask(['a', 'b']))).toEqual(['retired', '1']);
    },
  },
  withoutAppRule('suspended'),
  withoutAppRule('removed'),
  {
    rule: 'jobs go on under the installation that an account has now, in whatever order we hear of it',
    proves: async (stage) => {
      const installationOf = async (id: string) => (await stage.store.job(id))?.installationId;
      await oneJob(stage);
      await stage.queued(draft('2'));
      await stage.deliver({ kind: 'complete', job: draft('2'), end: endedBy(undefined) });
      await stage.installed('7', 'removed');
      expect(await installationOf('1')).toBe('7');
      await stage.installed('7', 'active', '70');
      expect([await installationOf('1'), await installationOf('2')]).toEqual(['70', '7']);
      await stage.installed('7', 'active', '71');
      expect(await installationOf('1')).toBe('70');
      await stage.installed('7', 'removed', '70');
      expect(await installationOf('1')).toBe('71');
    },
  },
  {
    rule: 'what just failed is passed over, and what waits behind it is not',
    proves: async (stage) => {
      await stage.account('7');
      await stage.account('8');
      await stage.queued(
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
      expect(heard(await stage.ask(['a', 'b'], { except }))).toEqual(['4', 'nothing']);
    },
  },
];
