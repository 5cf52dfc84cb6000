/** What the recovery may do to jobs and claims, and what it keeps. */
import { expect } from 'vitest';
import type { AbandonEvidence, TurnRequest } from '../recovery-port.ts';
import { actRules } from './act-rules.ts';
import type { Rule } from './rules.ts';
import { actDraft, draft, endedBy, heard, noon, type Stage } from './stage.ts';

const job = draft('1');
const sibling = draft('2', { queuedAt: noon + 1 });

/** A job whose Pod has a registration in hand; its generation. */
async function served(stage: Stage): Promise<string> {
  await stage.account('7');
  await stage.queued(job);
  return (await stage.serve('a', 'runner-a')).generation;
}

async function abandon(stage: Stage, generation: string, evidence: AbandonEvidence): Promise<string> {
  const abandonment = { jobId: job.id, generation, evidence };
  return stage.store.abandon(abandonment, actDraft('act', { jobId: job.id, generation }));
}

async function outcomes(stage: Stage): Promise<readonly string[]> {
  return (await stage.store.acts({ limit: 10 })).map(({ outcome }) => outcome);
}

const abandonRules: readonly Rule[] = [
  {
    rule: 'a job that was abandoned waits again and another Pod gets it; the session of the first Pod stays open',
    proves: async (stage) => {
      const generation = await served(stage);
      expect(await abandon(stage, generation, 'aged_out')).toBe('requeued');
      expect(await stage.store.job('1')).toMatchObject({ state: 'queued', generation: undefined });
      expect(heard(await stage.ask(['a', 'b']))).toEqual(['served', '1']);
      expect((await stage.store.openSessions()).map((session) => session.pod.name)).toEqual(['a']);
      expect(await stage.retire('a')).toBe('spoken-for');
      expect(await outcomes(stage)).toEqual(['requeued']);
    },
  },
  {
    rule: 'a job is not abandoned under a generation that is no longer its own',
    proves: async (stage) => {
      const generation = await served(stage);
      await abandon(stage, generation, 'pod_stopped');
      await stage.serve('b', 'runner-b');
      expect(await abandon(stage, generation, 'pod_stopped')).toBe('stale');
      expect(await stage.stateOf(job)).toBe('running');
      expect(await stage.claimedPods()).toEqual(['b']);
    },
  },
  {
    rule: 'a job is not abandoned once GitHub has named who executes it, or once it is over',
    proves: async (stage) => {
      const generation = await served(stage);
      await stage.deliver({ kind: 'start', job, runnerName: 'of-somebody', at: noon });
      expect(await abandon(stage, generation, 'pod_stopped')).toBe('stale');
      await stage.deliver({ kind: 'complete', job, end: endedBy('of-somebody') });
      expect(await abandon(stage, generation, 'pod_stopped')).toBe('stale');
      expect(await outcomes(stage)).toEqual([]);
    },
  },
  {
    rule: 'a runner that has a job of another pool keeps its claim, unless its Pod is no more',
    proves: async (stage) => {
      const generation = await served(stage);
      const stranger = { ...sibling, pool: 'other' };
      await stage.deliver({ kind: 'start', job: stranger, runnerName: 'runner-a', at: noon });
      expect(await abandon(stage, generation, 'aged_out')).toBe('busy');
      expect(await stage.claimedPods()).toEqual(['a']);
      expect(await abandon(stage, generation, 'pod_stopped')).toBe('requeued');
      expect(await stage.claimedPods()).toEqual([]);
    },
  },
  {
    rule: 'a claim that was not promoted is not abandoned',
    proves: async (stage) => {
      await stage.account('7');
      await stage.queued(job);
      const { generation } = await stage.claim('a');
      expect(await abandon(stage, generation, 'pod_stopped')).toBe('stale');
    },
  },
  {
    rule: 'a job whose Pod was reported stopped can still be abandoned',
    proves: async (stage) => {
      const generation = await served(stage);
      expect(await stage.stop('a')).toMatchObject([{ id: '1' }]);
      expect(await abandon(stage, generation, 'pod_stopped')).toBe('requeued');
    },
  },
];

const endRules: readonly Rule[] = [
  {
    rule: 'a job is given up only where it still stands, and stays over when webhooks come late',
    proves: async (stage) => {
      await stage.account('7');
      await stage.queued(job);
      const givenUp = { jobId: '1', from: 'queued', conclusion: 'stale', at: noon + 5 } as const;
      const claim = await stage.claim('a');
      expect(await stage.store.giveUp(givenUp, actDraft('1'))).toBe('stale');
      await stage.store.release(claim.generation);
      expect(await stage.store.giveUp(givenUp, actDraft('2'))).toBe('given-up');
      expect(await stage.store.job('1')).toMatchObject({
        state: 'completed',
        conclusion: 'stale',
        completedAt: noon + 5,
      });
      expect(await stage.deliver({ kind: 'enqueue', job })).toBe('unchanged');
      expect(await outcomes(stage)).toEqual(['given-up']);
    },
  },
  {
    rule: 'a job that somebody is at work on is not given up',
    proves: async (stage) => {
      await served(stage);
      await stage.deliver({ kind: 'start', job, runnerName: 'runner-a', at: noon });
      const givenUp = { jobId: '1', from: 'running', conclusion: 'gone', at: noon } as const;
      expect(await stage.store.giveUp(givenUp, actDraft('1'))).toBe('stale');
    },
  },
  {
    rule: 'a claim is settled when its job is over and so is the one that its runner did, not before',
    proves: async (stage) => {
      const generation = await served(stage);
      const settle = async (): Promise<string> => stage.store.settle(generation, actDraft('act'));
      expect(await settle()).toBe('live');
      await stage.deliver({ kind: 'start', job: sibling, runnerName: 'runner-a', at: noon });
      await stage.deliver({ kind: 'complete', job, end: endedBy('of-somebody') });
      expect(await settle()).toBe('live');
      await stage.deliver({ kind: 'complete', job: sibling, end: endedBy(undefined) });
      expect(await settle()).toBe('settled');
      expect(await stage.claimedPods()).toEqual([]);
      expect(await stage.store.openSessions()).toHaveLength(1);
      expect(await settle()).toBe('live');
    },
  },
  {
    rule: 'a claim whose own job is over is not settled while its runner has a job of another pool',
    proves: async (stage) => {
      const generation = await served(stage);
      const stranger = { ...sibling, pool: 'other' };
      await stage.deliver({ kind: 'start', job: stranger, runnerName: 'runner-a', at: noon });
      await stage.deliver({ kind: 'complete', job, end: endedBy('of-somebody') });
      expect(await stage.store.settle(generation, actDraft('act'))).toBe('live');
      expect(await stage.claimedPods()).toEqual(['a']);
      await stage.deliver({ kind: 'complete', job: stranger, end: endedBy(undefined) });
      expect(await stage.store.settle(generation, actDraft('act'))).toBe('settled');
    },
  },
  {
    rule: 'a claim that was not promoted is not settled: to release it is enough',
    proves: async (stage) => {
      await stage.account('7');
      await stage.queued(job);
      const { generation } = await stage.claim('a');
      await stage.deliver({ kind: 'complete', job, end: endedBy(undefined) });
      expect(await stage.store.settle(generation, actDraft('act'))).toBe('live');
    },
  },
];

const turn: TurnRequest = {
  worker: 'w',
  holder: 'one',
  at: noon,
  everyMs: 60_000,
  leaseMs: 120_000,
};

async function take(stage: Stage, other: Partial<TurnRequest>): Promise<string> {
  return (await stage.store.takeTurn({ ...turn, ...other })).kind;
}

const turnRules: readonly Rule[] = [
  {
    rule: 'a turn that somebody has is held, and when it was ended the next one is due in its time',
    proves: async (stage) => {
      expect(await stage.store.takeTurn(turn)).toEqual({ kind: 'taken', goodAt: undefined });
      expect(await take(stage, { holder: 'two', at: noon + 1000 })).toBe('held');
      await stage.store.endTurn({ worker: 'w', holder: 'two', isGood: true });
      expect(await take(stage, { holder: 'two', at: noon + 1000 })).toBe('held');
      await stage.store.endTurn({ worker: 'w', holder: 'one', isGood: true });
      expect(await take(stage, { holder: 'two', at: noon + 59_999 })).toBe('not-due');
      expect(await take(stage, { worker: 'other', holder: 'two', at: noon + 1000 })).toBe('taken');
      expect(await stage.store.takeTurn({ ...turn, holder: 'two', at: noon + 60_000 })).toEqual({
        kind: 'taken',
        goodAt: noon,
      });
    },
  },
  {
    rule: 'whoever dies in the middle of a turn loses it, and what it ends later is nobody else’s',
    proves: async (stage) => {
      await stage.store.takeTurn(turn);
      expect(await take(stage, { holder: 'two', at: noon + 119_999 })).toBe('held');
      expect(await take(stage, { holder: 'two', at: noon + 120_000 })).toBe('taken');
      await stage.store.endTurn({ worker: 'w', holder: 'one', isGood: true });
      expect(await take(stage, { holder: 'three', at: noon + 200_000 })).toBe('held');
      expect(await stage.store.turns()).toMatchObject([{ worker: 'w', holder: 'two', goodAt: undefined }]);
    },
  },
  {
    rule: 'a turn that nobody ended is due as soon as it is lost, for its work was not done',
    proves: async (stage) => {
      const seldom = { everyMs: 600_000, holder: 'two' };
      await stage.store.takeTurn({ ...turn, everyMs: 600_000 });
      expect(await take(stage, { ...seldom, at: noon + 119_999 })).toBe('held');
      expect(await take(stage, { ...seldom, at: noon + 120_000 })).toBe('taken');
    },
  },
  {
    rule: 'whoever has a turn may keep it for longer, and nobody else may; what has ended stays ended',
    proves: async (stage) => {
      const { store } = stage;
      const keep = async (holder: string, at: number): Promise<void> =>
        store.keepTurns({ workers: ['w', 'never'], holder, at, leaseMs: 120_000 });
      await store.takeTurn(turn);
      await keep('two', noon + 100_000);
      expect(await store.turns()).toMatchObject([{ worker: 'w', heldUntil: noon + 120_000 }]);
      await keep('one', noon + 100_000);
      expect(await take(stage, { holder: 'two', at: noon + 219_999 })).toBe('held');
      await store.endTurn({ worker: 'w', holder: 'one', isGood: true });
      await keep('one', noon + 110_000);
      expect(await store.turns()).toMatchObject([{ startedAt: noon, heldUntil: undefined, goodAt: noon }]);
    },
  },
  {
    rule: 'a turn that went wrong is not the last good one',
    proves: async (stage) => {
      await stage.store.takeTurn(turn);
      await stage.store.endTurn({ worker: 'w', holder: 'one', isGood: true });
      await stage.store.takeTurn({ ...turn, at: noon + 60_000 });
      await stage.store.endTurn({ worker: 'w', holder: 'one', isGood: false });
      expect(await stage.store.turns()).toMatchObject([{ startedAt: noon + 60_000, goodAt: noon }]);
    },
  },
  {
    rule: 'the same question asked again is answered the same, and a clock that was far ahead blocks nobody',
    proves: async (stage) => {
      const ahead = noon + 86_400_000;
      expect(await take(stage, { at: ahead })).toBe('taken');
      expect(await take(stage, { at: ahead })).toBe('taken');
      expect(await take(stage, { holder: 'two' })).toBe('taken');
    },
  },
];

const memoryRules: readonly Rule[] = [
  {
    rule: 'what is suspected at every look is known since the first, and what was well once begins anew',
    proves: async (stage) => {
      const look = async (subjects: readonly string[], at: number) =>
        Object.fromEntries(await stage.store.suspect('w', subjects, at));
      expect(await look(['a', 'b', 'a'], noon)).toEqual({ a: noon, b: noon });
      expect(await look(['a'], noon + 1)).toEqual({ a: noon });
      await stage.store.suspect('other', [], noon + 1);
      expect(await look(['a', 'b'], noon + 2)).toEqual({ a: noon, b: noon + 2 });
      expect(await look([], noon + 3)).toEqual({});
      expect(await look(['a'], noon + 4)).toEqual({ a: noon + 4 });
    },
  },
];

export const recoveryRules: readonly Rule[] = [
  ...abandonRules,
  ...endRules,
  ...turnRules,
  ...memoryRules,
  ...actRules,
];
