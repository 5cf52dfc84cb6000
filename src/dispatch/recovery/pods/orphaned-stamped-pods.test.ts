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

  it('removes an orphan at the second look, blocks the Pod first, and records why', async () => {
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

  it('removes an orphan seen before when the grace period ends', async () => {
    harness.pods.add(seenPod('a'));
    for (let index = 1; index < 5; index += 1) await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
    await harness.round(worker);
    expect(harness.pods.names()).toBe('');
  });

  it('starts over with a Pod that has a new stamp', async () => {
    harness.pods.add(seenPod('a'));
    await harness.round(worker, 5 * minute);
    harness.pods.change('a', { stampedAt: noon - minute });
    await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
  });

  it('starts over with a Pod that was healthy in between', async () => {
    harness.pods.add(seenPod('a'));
    await harness.round(worker, 5 * minute);
    harness.pods.change('a', { isStamped: false });
    await harness.round(worker);
    harness.pods.change('a', { isStamped: true });
    await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
  });

  it('keeps a Pod that gets a claim after the claims were read', async () => {
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
    expect(await harness.outcomes()).toEqual(['orphaned_stamped_pod: in-use']);
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

  it('keeps a Pod that is written at the last moment', async () => {
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

  it('removes the other Pods when one removal fails, and the run counts as failed', async () => {
    harness.pods.add(seenPod('a'), seenPod('b'));
    await harness.round(worker, 5 * minute);
    harness.pods.read = async (pod) => {
      if (pod.name === 'a') throw new Error('not now');
      return harness.pods.all.get(pod.uid);
    };
    await expect(harness.round(worker)).rejects.toThrow('not now');
    expect(harness.pods.names()).toBe('a');
  });

  it('heals a whole pool that one deploy left stamped, once the claims are released', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await harness.queueJob();
      const { generation, pod, jobId } = await harness.claim(name);
      harness.pods.add(seenPod(name));
      const evidence = { claimedForMs: 300_000 };
      const act = { id: harness.newId(), at: noon, kind: 'stale_claim', jobId, pod, generation, evidence };
      await harness.store.release(generation, act);
    }
    // An audit record older than the stamp proves nothing about the stamp.
    harness.pods.add(seenPod('unknown'), seenPod('later', { stampedAt: noon + 1 }));
    await harness.store.record({ ...draftAct(harness), pod: podOf('later'), outcome: 'released' });
    await harness.round(worker, 6 * minute);
    await harness.round(worker);
    expect(harness.pods.names()).toBe('unknown later');
  });

  describe('with a Pod whose job is over and whose session is open', () => {
    it('removes the Pod and closes the session when its runner is not busy', async () => {
      const id = await harness.queueJob();
      const { runnerName } = await harness.serve('a');
      const end = { runnerName: 'other-runner', startedAt: noon, conclusion: 'success', at: noon };
      await harness.store.apply({ kind: 'complete', job: harness.draftOf(id), end });
      harness.site.board.end(found(harness.site.board.job(id)), 'success');
      await harness.store.settle((await harness.store.claims())[0]?.generation ?? '', draftAct(harness));
      await harness.round(worker, 16 * minute);
      await harness.round(worker);
      expect(harness.pods.names()).toBe('');
      expect(await harness.store.openSessions()).toEqual([]);
      expect(harness.site.hall.all.map(({ name }) => name)).not.toContain(runnerName);
    });

    it('keeps the Pod while GitHub says that its runner is busy', async () => {
      const first = await harness.queueJob();
      const served = await harness.serve('a');
      harness.site.board.end(found(harness.site.board.job(first)), 'cancelled');
      const end = { runnerName: undefined, startedAt: undefined, conclusion: 'cancelled', at: noon };
      await harness.store.apply({ kind: 'complete', job: harness.draftOf(first), end });
      await harness.store.settle(served.claim.generation, draftAct(harness));
      // No webhook about this job arrives.
      await harness.queueJob({ isKnown: false });
      await harness.runFor(served, 3_600_000);
      await harness.round(worker, 16 * minute);
      await harness.round(worker);
      expect(harness.pods.names()).toBe('a');
      expect(await harness.outcomes()).toContain('orphaned_stamped_pod: runner-busy');
      // The removal of a busy runner is not even requested.
      expect(harness.asked.filter((route) => route.startsWith('DELETE'))).toEqual([]);
    });

    it('keeps the Pod when its runner becomes busy after the list', async () => {
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

    it('keeps the Pod until its job has been finished at GitHub for a quarter of an hour', async () => {
      await overAt(harness, noon - 10 * minute);
      await harness.round(worker, 14 * minute);
      await harness.round(worker);
      expect(harness.pods.names()).toBe('a');
      expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: not-finished');
      await harness.round(worker);
      expect(harness.pods.names()).toBe('');
    });

    it('keeps the session open when the Pod is written at the last moment', async () => {
      await overAt(harness, noon);
      harness.pods.meanwhile = () => harness.pods.change('a', {});
      await harness.round(worker, 16 * minute);
      await harness.round(worker);
      expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: overtaken');
      expect(await harness.store.openSessions()).toHaveLength(1);
    });

    it('decides by the job that its runner executed, even if of another pool', async () => {
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

    it('keeps the Pod when the job is not finished at GitHub', async () => {
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

    describe('in a repository that GitHub no longer knows', () => {
      const unknown = new FleetError('gone', { reason: 'NotFound', message: 'Not Found' });
      beforeEach(() => {
        harness.github.job = async () => {
          throw unknown;
        };
      });

      it('removes the Pod when its runner is not busy', async () => {
        await overAt(harness, noon);
        await harness.round(worker, 16 * minute);
        await harness.round(worker);
        expect(harness.pods.names()).toBe('');
        expect(await harness.store.openSessions()).toEqual([]);
      });

      it('keeps the Pod while its runner is busy: the App may only have lost access to the repository', async () => {
        await overAt(harness, noon);
        for (const runner of harness.site.hall.all) runner.state = 'busy';
        await harness.round(worker, 16 * minute);
        await harness.round(worker);
        expect(harness.pods.names()).toBe('a');
        expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: runner-busy');
      });

      it('keeps the Pod when GitHub never ended its job', async () => {
        await overAt(harness, noon, 'gone');
        await harness.round(worker, 16 * minute);
        await harness.round(worker);
        expect(harness.pods.names()).toBe('a');
        expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: not-finished');
      });

      it('keeps the Pod when GitHub does not answer about its runner either', async () => {
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

/** The job of the Pod `a` ends at GitHub now, and in the store at this time; its session stays open. */
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
