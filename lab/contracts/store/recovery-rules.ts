/** Rules about the repairs of the recovery, and about its leases and suspicions. */
import { expect } from 'vitest';
import type { AbandonEvidence, LeaseRequest } from '../../../src/dispatch/store/recovery-port.ts';
import { actRules } from './audit-rules.ts';
import type { Rule } from './rules.ts';
import { actDraft, draft, endedBy, heard, noon, type Fixture } from './harness.ts';

const job = draft('1');
const sibling = draft('2', { queuedAt: noon + 1 });

/** A job whose Pod has a registration; returns the generation. */
async function served(fixture: Fixture): Promise<string> {
  await fixture.account('7');
  await fixture.queued(job);
  return (await fixture.serve('a', 'runner-a')).generation;
}

async function abandon(fixture: Fixture, generation: string, evidence: AbandonEvidence): Promise<string> {
  const abandonment = { jobId: job.id, generation, evidence };
  return fixture.store.abandon(abandonment, actDraft('act', { jobId: job.id, generation }));
}

async function outcomes(fixture: Fixture): Promise<readonly string[]> {
  return (await fixture.store.acts({ limit: 10 })).map(({ outcome }) => outcome);
}

const abandonRules: readonly Rule[] = [
  {
    rule: 'an abandoned job waits again and another Pod gets the job; the session of the first Pod stays open',
    proves: async (fixture) => {
      const generation = await served(fixture);
      expect(await abandon(fixture, generation, 'aged_out')).toBe('requeued');
      expect(await fixture.store.job('1')).toMatchObject({ state: 'queued', generation: undefined });
      expect(heard(await fixture.ask(['a', 'b']))).toEqual(['served', '1']);
      expect((await fixture.store.openSessions()).map((session) => session.pod.name)).toEqual(['a']);
      expect(await fixture.retire('a')).toBe('in-use');
      expect(await outcomes(fixture)).toEqual(['requeued']);
    },
  },
  {
    rule: 'a job is not abandoned under a generation that is no longer its own',
    proves: async (fixture) => {
      const generation = await served(fixture);
      await abandon(fixture, generation, 'pod_stopped');
      await fixture.serve('b', 'runner-b');
      expect(await abandon(fixture, generation, 'pod_stopped')).toBe('stale');
      expect(await fixture.stateOf(job)).toBe('running');
      expect(await fixture.claimedPods()).toEqual(['b']);
    },
  },
  {
    rule: 'a job is not abandoned once GitHub has named its runner, or once the job is over',
    proves: async (fixture) => {
      const generation = await served(fixture);
      await fixture.deliver({ kind: 'start', job, runnerName: 'of-somebody', at: noon });
      expect(await abandon(fixture, generation, 'pod_stopped')).toBe('stale');
      await fixture.deliver({ kind: 'complete', job, end: endedBy('of-somebody') });
      expect(await abandon(fixture, generation, 'pod_stopped')).toBe('stale');
      expect(await outcomes(fixture)).toEqual([]);
    },
  },
  {
    rule: 'a runner with a job of another pool keeps its claim, unless its Pod is gone',
    proves: async (fixture) => {
      const generation = await served(fixture);
      const stranger = { ...sibling, pool: 'other' };
      await fixture.deliver({ kind: 'start', job: stranger, runnerName: 'runner-a', at: noon });
      expect(await abandon(fixture, generation, 'aged_out')).toBe('busy');
      expect(await fixture.claimedPods()).toEqual(['a']);
      expect(await abandon(fixture, generation, 'pod_stopped')).toBe('requeued');
      expect(await fixture.claimedPods()).toEqual([]);
    },
  },
  {
    rule: 'a claim that was not promoted is not abandoned',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job);
      const { generation } = await fixture.claim('a');
      expect(await abandon(fixture, generation, 'pod_stopped')).toBe('stale');
    },
  },
  {
    rule: 'a job whose Pod was reported stopped can still be abandoned',
    proves: async (fixture) => {
      const generation = await served(fixture);
      expect(await fixture.stop('a')).toMatchObject([{ id: '1' }]);
      expect(await abandon(fixture, generation, 'pod_stopped')).toBe('requeued');
    },
  },
];

const endRules: readonly Rule[] = [
  {
    rule: 'a job is given up only in the expected state, and stays finished when webhooks arrive late',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job);
      const givenUp = { jobId: '1', from: 'queued', conclusion: 'stale', at: noon + 5 } as const;
      const claim = await fixture.claim('a');
      expect(await fixture.store.giveUp(givenUp, actDraft('1'))).toBe('stale');
      await fixture.store.release(claim.generation);
      expect(await fixture.store.giveUp(givenUp, actDraft('2'))).toBe('given-up');
      expect(await fixture.store.job('1')).toMatchObject({
        state: 'completed',
        conclusion: 'stale',
        completedAt: noon + 5,
      });
      expect(await fixture.deliver({ kind: 'enqueue', job })).toBe('unchanged');
      expect(await outcomes(fixture)).toEqual(['given-up']);
    },
  },
  {
    rule: 'a running job is not given up',
    proves: async (fixture) => {
      await served(fixture);
      await fixture.deliver({ kind: 'start', job, runnerName: 'runner-a', at: noon });
      const givenUp = { jobId: '1', from: 'running', conclusion: 'gone', at: noon } as const;
      expect(await fixture.store.giveUp(givenUp, actDraft('1'))).toBe('stale');
    },
  },
  {
    rule: 'a claim is settled when its job and the job of its runner are over, not before',
    proves: async (fixture) => {
      const generation = await served(fixture);
      const settle = async (): Promise<string> => fixture.store.settle(generation, actDraft('act'));
      expect(await settle()).toBe('live');
      await fixture.deliver({ kind: 'start', job: sibling, runnerName: 'runner-a', at: noon });
      await fixture.deliver({ kind: 'complete', job, end: endedBy('of-somebody') });
      expect(await settle()).toBe('live');
      await fixture.deliver({ kind: 'complete', job: sibling, end: endedBy(undefined) });
      expect(await settle()).toBe('settled');
      expect(await fixture.claimedPods()).toEqual([]);
      expect(await fixture.store.openSessions()).toHaveLength(1);
      expect(await settle()).toBe('live');
    },
  },
  {
    rule: 'a claim whose own job is over is not settled while its runner has a job of another pool',
    proves: async (fixture) => {
      const generation = await served(fixture);
      const stranger = { ...sibling, pool: 'other' };
      await fixture.deliver({ kind: 'start', job: stranger, runnerName: 'runner-a', at: noon });
      await fixture.deliver({ kind: 'complete', job, end: endedBy('of-somebody') });
      expect(await fixture.store.settle(generation, actDraft('act'))).toBe('live');
      expect(await fixture.claimedPods()).toEqual(['a']);
      await fixture.deliver({ kind: 'complete', job: stranger, end: endedBy(undefined) });
      expect(await fixture.store.settle(generation, actDraft('act'))).toBe('settled');
    },
  },
  {
    rule: 'a claim that was not promoted is not settled: a release is enough',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job);
      const { generation } = await fixture.claim('a');
      await fixture.deliver({ kind: 'complete', job, end: endedBy(undefined) });
      expect(await fixture.store.settle(generation, actDraft('act'))).toBe('live');
    },
  },
];

const round: LeaseRequest = {
  worker: 'w',
  holder: 'one',
  at: noon,
  everyMs: 60_000,
  leaseMs: 120_000,
};

async function take(fixture: Fixture, other: Partial<LeaseRequest>): Promise<string> {
  return (await fixture.store.acquireLease({ ...round, ...other })).kind;
}

const leaseRules: readonly Rule[] = [
  {
    rule: 'a held lease cannot be acquired, and after its release the next run is due at its time',
    proves: async (fixture) => {
      expect(await fixture.store.acquireLease(round)).toEqual({ kind: 'taken', goodAt: undefined });
      expect(await take(fixture, { holder: 'two', at: noon + 1000 })).toBe('held');
      await fixture.store.releaseLease({ worker: 'w', holder: 'two', isGood: true });
      expect(await take(fixture, { holder: 'two', at: noon + 1000 })).toBe('held');
      await fixture.store.releaseLease({ worker: 'w', holder: 'one', isGood: true });
      expect(await take(fixture, { holder: 'two', at: noon + 59_999 })).toBe('not-due');
      expect(await take(fixture, { worker: 'other', holder: 'two', at: noon + 1000 })).toBe('taken');
      expect(await fixture.store.acquireLease({ ...round, holder: 'two', at: noon + 60_000 })).toEqual({
        kind: 'taken',
        goodAt: noon,
      });
    },
  },
  {
    rule: 'a replica that dies loses its lease, and its late release does not end the lease of another',
    proves: async (fixture) => {
      await fixture.store.acquireLease(round);
      expect(await take(fixture, { holder: 'two', at: noon + 119_999 })).toBe('held');
      expect(await take(fixture, { holder: 'two', at: noon + 120_000 })).toBe('taken');
      await fixture.store.releaseLease({ worker: 'w', holder: 'one', isGood: true });
      expect(await take(fixture, { holder: 'three', at: noon + 200_000 })).toBe('held');
      expect(await fixture.store.leases()).toMatchObject([{ worker: 'w', holder: 'two', goodAt: undefined }]);
    },
  },
  {
    rule: 'an expired lease is due at once, because its work was not done',
    proves: async (fixture) => {
      const seldom = { everyMs: 600_000, holder: 'two' };
      await fixture.store.acquireLease({ ...round, everyMs: 600_000 });
      expect(await take(fixture, { ...seldom, at: noon + 119_999 })).toBe('held');
      expect(await take(fixture, { ...seldom, at: noon + 120_000 })).toBe('taken');
    },
  },
  {
    rule: 'only the holder can renew a lease, and a released lease stays released',
    proves: async (fixture) => {
      const { store } = fixture;
      const keep = async (holder: string, at: number): Promise<void> =>
        store.renewLeases({ workers: ['w', 'never'], holder, at, leaseMs: 120_000 });
      await store.acquireLease(round);
      await keep('two', noon + 100_000);
      expect(await store.leases()).toMatchObject([{ worker: 'w', heldUntil: noon + 120_000 }]);
      await keep('one', noon + 100_000);
      expect(await take(fixture, { holder: 'two', at: noon + 219_999 })).toBe('held');
      await store.releaseLease({ worker: 'w', holder: 'one', isGood: true });
      await keep('one', noon + 110_000);
      expect(await store.leases()).toMatchObject([{ startedAt: noon, heldUntil: undefined, goodAt: noon }]);
    },
  },
  {
    rule: 'a failed run does not count as the last successful run',
    proves: async (fixture) => {
      await fixture.store.acquireLease(round);
      await fixture.store.releaseLease({ worker: 'w', holder: 'one', isGood: true });
      await fixture.store.acquireLease({ ...round, at: noon + 60_000 });
      await fixture.store.releaseLease({ worker: 'w', holder: 'one', isGood: false });
      expect(await fixture.store.leases()).toMatchObject([{ startedAt: noon + 60_000, goodAt: noon }]);
    },
  },
  {
    rule: 'a repeated acquire gets the same answer, and a clock that was far ahead blocks no replica',
    proves: async (fixture) => {
      const ahead = noon + 86_400_000;
      expect(await take(fixture, { at: ahead })).toBe('taken');
      expect(await take(fixture, { at: ahead })).toBe('taken');
      expect(await take(fixture, { holder: 'two' })).toBe('taken');
    },
  },
];

const memoryRules: readonly Rule[] = [
  {
    rule: 'a suspicion keeps its first time while every check repeats it, and starts anew after a good check',
    proves: async (fixture) => {
      const look = async (subjects: readonly string[], at: number) =>
        Object.fromEntries(await fixture.store.suspect('w', subjects, at));
      expect(await look(['a', 'b', 'a'], noon)).toEqual({ a: noon, b: noon });
      expect(await look(['a'], noon + 1)).toEqual({ a: noon });
      await fixture.store.suspect('other', [], noon + 1);
      expect(await look(['a', 'b'], noon + 2)).toEqual({ a: noon, b: noon + 2 });
      expect(await look([], noon + 3)).toEqual({});
      expect(await look(['a'], noon + 4)).toEqual({ a: noon + 4 });
    },
  },
];

export const recoveryRules: readonly Rule[] = [
  ...abandonRules,
  ...endRules,
  ...leaseRules,
  ...memoryRules,
  ...actRules,
];
