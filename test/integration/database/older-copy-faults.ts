/** Claims, promotions, deliveries and Pods after PostgreSQL returns to an earlier state. */
import { expect } from 'vitest';
import { OrphanedStampedPods } from '../../../src/dispatch/recovery/pods/orphaned-stamped-pods.ts';
import { draft, endedBy, noon } from '../../../lab/contracts/store/harness.ts';
import { minute, RecoveryHarness } from '../../../lab/harness/recovery-harness.ts';
import type { Fault } from './fault-harness.ts';
import { OlderCopy } from './older-copy.ts';

const job = draft('1');

export const olderCopyFaults: readonly Fault[] = [
  {
    rule: 'after a failover that lost a claim its holder changes nothing, even when its Pod claims the job again',
    proves: async (harness) => {
      const { fixture } = harness;
      await fixture.account('7');
      await fixture.queued(job);
      const copy = await OlderCopy.of(harness);
      const lost = await fixture.claim('a');
      await copy.failOver();
      const late = async () => [
        await fixture.promote(lost, 'late'),
        await fixture.store.release(lost.generation),
      ];
      expect([await late(), await fixture.stateOf(job)]).toEqual([['stale', 'stale'], 'queued']);
      const again = await fixture.claim('a');
      expect([again.jobId, again.generation === lost.generation]).toEqual(['1', false]);
      expect(await late()).toEqual(['stale', 'stale']);
      expect([await fixture.store.claims(), await fixture.store.openSessions()]).toEqual([[again], []]);
    },
  },
  {
    rule: 'after a failover that lost promotions a repeated promotion succeeds, and one of a released claim is refused',
    proves: async (harness) => {
      const { fixture } = harness;
      await fixture.account('7');
      await fixture.queued(job, draft('2', { queuedAt: noon + 1 }));
      const [kept, released] = [await fixture.claim('a'), await fixture.claim('b')];
      const copy = await OlderCopy.of(harness);
      for (const claim of [kept, released]) await fixture.promote(claim, `runner of ${claim.pod.name}`);
      await copy.failOver();
      expect(await fixture.store.claims()).toEqual([kept, released]);
      expect(await fixture.store.openSessions()).toEqual([]);
      expect(await fixture.promote(kept, 'runner of a')).toBe('promoted');
      expect(await fixture.store.release(released.generation)).toBe('released');
      expect(await fixture.promote(released, 'runner of b')).toBe('stale');
      expect((await fixture.store.openSessions()).map(({ generation }) => generation)).toEqual([
        kept.generation,
      ]);
      expect(await fixture.stateOf(draft('2'))).toBe('queued');
    },
  },
  {
    rule: 'after a failover that lost the end of a job a redelivery ends the job again',
    proves: async (harness) => {
      const { fixture } = harness;
      await fixture.account('7');
      await fixture.queued(job);
      await fixture.serve('a', 'runner-a');
      const copy = await OlderCopy.of(harness);
      const end = async () => fixture.deliver({ kind: 'complete', job, end: endedBy('runner-a') }, 'guid');
      expect([await end(), await end()]).toEqual(['changed', 'known']);
      await copy.failOver();
      expect([await fixture.stateOf(job), await fixture.claimedPods()]).toEqual(['running', ['a']]);
      expect([await end(), await end()]).toEqual(['changed', 'known']);
      expect([await fixture.stateOf(job), await fixture.claimedPods()]).toEqual(['completed', []]);
    },
  },
  {
    rule: 'after a failover that lost the claim and session of a Pod, the Pod stays while GitHub reports its runner as busy',
    proves: async (harness) => {
      const recovery = new RecoveryHarness(harness.fixture.store);
      const worker = new OrphanedStampedPods(recovery.ports);
      await recovery.install();
      await recovery.queueJob();
      const copy = await OlderCopy.of(harness);
      await recovery.runFor(await recovery.serve('a'), 60 * minute);
      // Like on a Mac, whose processes Kubernetes cannot see.
      recovery.pods.change('a', { isRunnerLive: false });
      await copy.failOver();
      expect([await recovery.store.claims(), await recovery.store.openSessions()]).toEqual([[], []]);
      for (let index = 0; index < 50; index += 1) await recovery.round(worker);
      expect(recovery.pods.names()).toBe('a');
      expect(new Set(await recovery.outcomes())).toEqual(new Set(['orphaned_stamped_pod: runner-busy']));
      for (let index = 0; index < 30; index += 1) await recovery.round(worker);
      expect(recovery.pods.names()).toBe('');
    },
  },
];
