/** What becomes of claims, promotions, deliveries and Pods when PostgreSQL comes back as it was a moment ago. */
import { expect } from 'vitest';
import { OrphanedStampedPods } from '../../src/dispatch/recovery/orphaned-stamped-pods.ts';
import { draft, endedBy, noon } from '../../src/dispatch/store/contract/stage.ts';
import { minute, RecoveryStand } from '../recovery-stand.ts';
import type { Fault } from './fault-stand.ts';
import { OlderCopy } from './older-copy.ts';

const job = draft('1');

export const olderCopyFaults: readonly Fault[] = [
  {
    rule: 'after a failover that lost a claim its holder changes nothing, also when its Pod claims the job again',
    proves: async (stand) => {
      const { stage } = stand;
      await stage.account('7');
      await stage.queued(job);
      const copy = await OlderCopy.of(stand);
      const lost = await stage.claim('a');
      await copy.failOver();
      const late = async () => [
        await stage.promote(lost, 'late'),
        await stage.store.release(lost.generation),
      ];
      expect([await late(), await stage.stateOf(job)]).toEqual([['stale', 'stale'], 'queued']);
      const again = await stage.claim('a');
      expect([again.jobId, again.generation === lost.generation]).toEqual(['1', false]);
      expect(await late()).toEqual(['stale', 'stale']);
      expect([await stage.store.claims(), await stage.store.openSessions()]).toEqual([[again], []]);
    },
  },
  {
    rule: 'after a failover that lost promotions one that is asked for again is promoted, and one whose claim was released is refused',
    proves: async (stand) => {
      const { stage } = stand;
      await stage.account('7');
      await stage.queued(job, draft('2', { queuedAt: noon + 1 }));
      const [kept, released] = [await stage.claim('a'), await stage.claim('b')];
      const copy = await OlderCopy.of(stand);
      for (const claim of [kept, released]) await stage.promote(claim, `runner of ${claim.pod.name}`);
      await copy.failOver();
      expect(await stage.store.claims()).toEqual([kept, released]);
      expect(await stage.store.openSessions()).toEqual([]);
      expect(await stage.promote(kept, 'runner of a')).toBe('promoted');
      expect(await stage.store.release(released.generation)).toBe('released');
      expect(await stage.promote(released, 'runner of b')).toBe('stale');
      expect((await stage.store.openSessions()).map(({ generation }) => generation)).toEqual([
        kept.generation,
      ]);
      expect(await stage.stateOf(draft('2'))).toBe('queued');
    },
  },
  {
    rule: 'after a failover that lost the end of a job the same delivery, sent again, ends it again',
    proves: async (stand) => {
      const { stage } = stand;
      await stage.account('7');
      await stage.queued(job);
      await stage.serve('a', 'runner-a');
      const copy = await OlderCopy.of(stand);
      const end = async () => stage.deliver({ kind: 'complete', job, end: endedBy('runner-a') }, 'guid');
      expect([await end(), await end()]).toEqual(['changed', 'known']);
      await copy.failOver();
      expect([await stage.stateOf(job), await stage.claimedPods()]).toEqual(['running', ['a']]);
      expect([await end(), await end()]).toEqual(['changed', 'known']);
      expect([await stage.stateOf(job), await stage.claimedPods()]).toEqual(['completed', []]);
    },
  },
  {
    rule: 'after a failover that lost claim and session of a Pod it stays while GitHub says that its runner is at work, and goes then',
    proves: async (stand) => {
      const recovery = new RecoveryStand(stand.stage.store);
      const worker = new OrphanedStampedPods(recovery.ports);
      await recovery.install();
      await recovery.queueJob();
      const copy = await OlderCopy.of(stand);
      await recovery.runFor(await recovery.serve('a'), 60 * minute);
      // As on a Mac, into which nobody looks.
      recovery.pods.change('a', { isRunnerLive: false });
      await copy.failOver();
      expect([await recovery.store.claims(), await recovery.store.openSessions()]).toEqual([[], []]);
      for (let index = 0; index < 50; index += 1) await recovery.turn(worker);
      expect(recovery.pods.names()).toBe('a');
      expect(new Set(await recovery.outcomes())).toEqual(new Set(['orphaned_stamped_pod: runner-busy']));
      for (let index = 0; index < 30; index += 1) await recovery.turn(worker);
      expect(recovery.pods.names()).toBe('');
    },
  },
];
