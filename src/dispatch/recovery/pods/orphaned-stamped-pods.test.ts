import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryHarness, seenPod } from '../../../../lab/harness/recovery-harness.ts';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import { noon, podOf } from '../../../../lab/contracts/store/harness.ts';
import { OrphanedStampedPods } from './orphaned-stamped-pods.ts';

describe('the worker', () => {
  let harness: RecoveryHarness;
  let worker: OrphanedStampedPods;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    worker = new OrphanedStampedPods(harness.ports);
    await harness.install();
  });

  it('takes an orphan at the second look, retires it first, and writes down why', async () => {
    harness.pods.add(seenPod('a'));
    await harness.round(worker, 5 * minute);
    expect(harness.pods.names()).toBe('a');
    await harness.round(worker);
    expect(harness.pods.names()).toBe('');
    expect(await harness.outcomes()).toEqual([
      'orphaned_stamped_pod: retired',
      'orphaned_stamped_pod: deleted',
    ]);
    expect(harness.recovered).toEqual(['orphaned_stamped_pod']);
    const [act] = await harness.store.acts({ podUids: [podOf('a').uid], limit: 1 });
    expect(act?.evidence).toMatchObject({
      why: 'unclaimed',
      stampedForMs: 6 * minute,
      suspectedForMs: minute,
    });
    await harness.queueJob();
    await expect(harness.claim('a')).rejects.toThrow('taken');
  });

  it('takes it with the end of the grace, when it was seen before', async () => {
    harness.pods.add(seenPod('a'));
    for (let index = 1; index < 5; index += 1) await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
    await harness.round(worker);
    expect(harness.pods.names()).toBe('');
  });

  it('begins anew with one that was stamped anew', async () => {
    harness.pods.add(seenPod('a'));
    await harness.round(worker, 5 * minute);
    harness.pods.change('a', { stampedAt: noon - minute });
    await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
  });

  it('begins anew with one that was well in between', async () => {
    harness.pods.add(seenPod('a'));
    await harness.round(worker, 5 * minute);
    harness.pods.change('a', { isStamped: false });
    await harness.round(worker);
    harness.pods.change('a', { isStamped: true });
    await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
  });

  it('keeps one that wins a claim after the claims were read', async () => {
    harness.pods.add(seenPod('a'));
    await harness.round(worker, 5 * minute);
    await harness.queueJob();
    const openSessions = harness.store.openSessions.bind(harness.store);
    harness.store.openSessions = async () => {
      const sessions = await openSessions();
      await harness.claim('a');
      return sessions;
    };
    await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
    expect(await harness.outcomes()).toEqual(['orphaned_stamped_pod: spoken-for']);
  });

  it.for<readonly [string, (given: RecoveryHarness) => void, string]>([
    ['was stamped anew', (given) => given.pods.change('a', { stampedAt: noon + 1 }), 'changed'],
    ['began to run', (given) => given.pods.change('a', { isRunnerLive: true }), 'changed'],
    ['is being deleted', (given) => given.pods.change('a', { isTerminating: true }), 'changed'],
  ])('keeps one that %s since the list', async ([, meanwhile, outcome]) => {
    harness.pods.add(seenPod('a'));
    await harness.round(worker, 5 * minute);
    const block = harness.store.block.bind(harness.store);
    harness.store.block = async (...given) => {
      meanwhile(harness);
      return block(...given);
    };
    await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
    expect((await harness.outcomes()).at(-1)).toBe(`orphaned_stamped_pod: ${outcome}`);
  });

  it('keeps one that somebody writes to in the last moment', async () => {
    harness.pods.add(seenPod('a'));
    await harness.round(worker, 5 * minute);
    harness.pods.meanwhile = () => harness.pods.change('a', {});
    await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
    expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: overtaken');
    expect(harness.recovered).toEqual([]);
  });

  it('reads no claims and does nothing when the Pods cannot be listed', async () => {
    harness.pods.listFails = new FleetError('unavailable', { reason: 'Timeout', message: 'no answer' });
    harness.store.claims = async () => expect.fail('claims were read');
    await expect(harness.round(worker)).rejects.toThrow('no answer');
  });

  it('goes on with the others when one cannot be removed, and the turn was not good', async () => {
    harness.pods.add(seenPod('a'), seenPod('b'));
    await harness.round(worker, 5 * minute);
    harness.pods.read = async (pod) => {
      if (pod.name === 'a') throw new Error('not now');
      return harness.pods.all.get(pod.uid);
    };
    await expect(harness.round(worker)).rejects.toThrow('not now');
    expect(harness.pods.names()).toBe('a');
  });

  it('heals a whole pool that one deploy left stamped, once the claims were given back', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await harness.queueJob();
      const { generation, pod, jobId } = await harness.claim(name);
      harness.pods.add(seenPod(name));
      const evidence = { claimedForMs: 300_000 };
      const act = { id: harness.newId(), at: noon, kind: 'stale_claim', jobId, pod, generation, evidence };
      await harness.store.release(generation, act);
    }
    // What was done about one before it was stamped says nothing about the stamp.
    harness.pods.add(seenPod('unknown'), seenPod('later', { stampedAt: noon + 1 }));
    await harness.store.record({ ...draftAct(harness), pod: podOf('later'), outcome: 'released' });
    await harness.round(worker, 6 * minute);
    await harness.round(worker);
    expect(harness.pods.names()).toBe('unknown later');
  });

  describe('with a Pod whose job is over and whose session is open', () => {
    it('removes the Pod and closes the session when its runner is not at work', async () => {
      const id = await harness.queueJob();
      const { runnerName } = await harness.serve('a');
      const end = { runnerName: 'of somebody else', startedAt: noon, conclusion: 'success', at: noon };
      await harness.store.apply({ kind: 'complete', job: harness.draftOf(id), end });
      harness.site.board.end(found(harness.site.board.job(id)), 'success');
      await harness.store.settle((await harness.store.claims())[0]?.generation ?? '', draftAct(harness));
      await harness.round(worker, 16 * minute);
      await harness.round(worker);
      expect(harness.pods.names()).toBe('');
      expect(await harness.store.openSessions()).toEqual([]);
      expect(harness.site.hall.all.map(({ name }) => name)).not.toContain(runnerName);
    });

    it('keeps it while GitHub says that its runner is at work', async () => {
      const first = await harness.queueJob();
      const served = await harness.serve('a');
      harness.site.board.end(found(harness.site.board.job(first)), 'cancelled');
      const end = { runnerName: undefined, startedAt: undefined, conclusion: 'cancelled', at: noon };
      await harness.store.apply({ kind: 'complete', job: harness.draftOf(first), end });
      await harness.store.settle(served.claim.generation, draftAct(harness));
      // Of this one we never hear.
      await harness.queueJob({ isKnown: false });
      await harness.runFor(served, 3_600_000);
      await harness.round(worker, 16 * minute);
      await harness.round(worker);
      expect(harness.pods.names()).toBe('a');
      expect(await harness.outcomes()).toContain('orphaned_stamped_pod: runner-busy');
      // What GitHub would refuse is not even asked for.
      expect(harness.asked.filter((route) => route.startsWith('DELETE'))).toEqual([]);
    });

    it('keeps it when its runner begins to work after the list', async () => {
      await overAt(harness, noon);
      const removeRunner = harness.github.removeRunner.bind(harness.github);
      harness.github.removeRunner = async (...given) => {
        for (const runner of harness.site.hall.all) runner.state = 'busy';
        return removeRunner(...given);
      };
      await harness.round(worker, 16 * minute);
      await harness.round(worker);
      expect(harness.pods.names()).toBe('a');
      expect(await harness.outcomes()).toContain('orphaned_stamped_pod: runner-busy');
    });

    it('keeps it until GitHub itself has called the job finished for a quarter of an hour', async () => {
      await overAt(harness, noon - 10 * minute);
      await harness.round(worker, 14 * minute);
      await harness.round(worker);
      expect(harness.pods.names()).toBe('a');
      expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: not-finished');
      await harness.round(worker);
      expect(harness.pods.names()).toBe('');
    });

    it('keeps the session open when somebody writes to the Pod in the last moment', async () => {
      await overAt(harness, noon);
      harness.pods.meanwhile = () => harness.pods.change('a', {});
      await harness.round(worker, 16 * minute);
      await harness.round(worker);
      expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: overtaken');
      expect(await harness.store.openSessions()).toHaveLength(1);
    });

    it('goes by the job that its runner did, where that is one of another pool than it was made for', async () => {
      const own = await harness.queueJob();
      const { runnerName, claim } = await harness.serve('a');
      const other = await harness.queueJob({ isKnown: false });
      const job = { ...harness.draftOf(other), pool: 'another' };
      await harness.store.apply({ kind: 'start', job, runnerName, at: noon });
      const end = { runnerName, startedAt: noon, conclusion: 'success', at: noon };
      await harness.store.apply({ kind: 'complete', job, end });
      await harness.store.settle(claim.generation, draftAct(harness));
      harness.site.board.end(found(harness.site.board.job(other)), 'success');
      expect(await harness.store.openSessions()).toMatchObject([{ jobId: own, executedJobId: other }]);
      await harness.round(worker, 16 * minute);
      await harness.round(worker);
      expect(harness.pods.names()).toBe('');
    });

    it('keeps it when GitHub does not call the job finished', async () => {
      const id = await harness.queueJob();
      const { claim } = await harness.serve('a');
      const givenUp = { jobId: id, from: 'running', conclusion: 'gone', at: noon } as const;
      await harness.store.giveUp(givenUp, draftAct(harness));
      await harness.store.settle(claim.generation, draftAct(harness));
      await harness.round(worker, 16 * minute);
      await harness.round(worker);
      expect(harness.pods.names()).toBe('a');
      expect(await harness.outcomes()).toContain('orphaned_stamped_pod: not-finished');
    });

    describe('in a repository that GitHub does not know any more', () => {
      const unknown = new FleetError('gone', { reason: 'NotFound', message: 'Not Found' });
      beforeEach(() => {
        harness.github.job = async () => {
          throw unknown;
        };
      });

      it('removes it when its runner is not at work', async () => {
        await overAt(harness, noon);
        await harness.round(worker, 16 * minute);
        await harness.round(worker);
        expect(harness.pods.names()).toBe('');
        expect(await harness.store.openSessions()).toEqual([]);
      });

      it('keeps it while its runner is at work: the App may only have lost the repository', async () => {
        await overAt(harness, noon);
        for (const runner of harness.site.hall.all) runner.state = 'busy';
        await harness.round(worker, 16 * minute);
        await harness.round(worker);
        expect(harness.pods.names()).toBe('a');
        expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: runner-busy');
      });

      it('keeps it when nobody but us has called its job finished', async () => {
        await overAt(harness, noon, 'gone');
        await harness.round(worker, 16 * minute);
        await harness.round(worker);
        expect(harness.pods.names()).toBe('a');
        expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: not-finished');
      });

      it('keeps it where GitHub says nothing of its runner either', async () => {
        await overAt(harness, noon);
        harness.github.runnerNamed = async () => {
          throw unknown;
        };
        await harness.round(worker, 16 * minute);
        await expect(harness.round(worker)).rejects.toThrow(unknown);
        expect(harness.pods.names()).toBe('a');
        expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: failed');
      });
    });
  });
});

/** The job of the Pod `a` ends at GitHub now, and ended at this time for us; its session stays open. */
async function overAt(harness: RecoveryHarness, at: number, conclusion = 'success'): Promise<void> {
  const id = await harness.queueJob();
  const { claim } = await harness.serve('a');
  harness.site.board.end(found(harness.site.board.job(id)), 'success');
  const end = { runnerName: undefined, startedAt: undefined, conclusion, at };
  await harness.store.apply({ kind: 'complete', job: harness.draftOf(id), end });
  await harness.store.settle(claim.generation, draftAct(harness));
}

function draftAct(harness: RecoveryHarness) {
  const about = { jobId: undefined, pod: undefined, generation: undefined };
  return { id: harness.newId(), at: noon, kind: 'test', ...about, evidence: {} };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not there');
  return value;
}
