import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryStand, seenPod } from '../../../test/recovery-stand.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { noon, podOf } from '../store/contract/stage.ts';
import { OrphanedStampedPods } from './orphaned-stamped-pods.ts';

describe('the worker', () => {
  let stand: RecoveryStand;
  let worker: OrphanedStampedPods;
  beforeEach(async () => {
    stand = new RecoveryStand();
    worker = new OrphanedStampedPods(stand.ports);
    await stand.install();
  });

  it('takes an orphan at the second look, retires it first, and writes down why', async () => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    expect(stand.pods.names()).toBe('a');
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('');
    expect(await stand.outcomes()).toEqual([
      'orphaned_stamped_pod: retired',
      'orphaned_stamped_pod: deleted',
    ]);
    expect(stand.recovered).toEqual(['orphaned_stamped_pod']);
    const [act] = await stand.store.acts({ podUids: [podOf('a').uid], limit: 1 });
    expect(act?.evidence).toMatchObject({
      why: 'unclaimed',
      stampedForMs: 6 * minute,
      suspectedForMs: minute,
    });
    await stand.queueJob();
    await expect(stand.claim('a')).rejects.toThrow('taken');
  });

  it('takes it with the end of the grace, when it was seen before', async () => {
    stand.pods.add(seenPod('a'));
    for (let index = 1; index < 5; index += 1) await stand.turn(worker);
    expect(stand.pods.names()).toBe('a');
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('');
  });

  it('begins anew with one that was stamped anew', async () => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    stand.pods.change('a', { stampedAt: noon - minute });
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('a');
  });

  it('begins anew with one that was well in between', async () => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    stand.pods.change('a', { isStamped: false });
    await stand.turn(worker);
    stand.pods.change('a', { isStamped: true });
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('a');
  });

  it('keeps one that wins a claim after the claims were read', async () => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    await stand.queueJob();
    const openSessions = stand.store.openSessions.bind(stand.store);
    stand.store.openSessions = async () => {
      const sessions = await openSessions();
      await stand.claim('a');
      return sessions;
    };
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('a');
    expect(await stand.outcomes()).toEqual(['orphaned_stamped_pod: spoken-for']);
  });

  it.for<readonly [string, (given: RecoveryStand) => void, string]>([
    ['was stamped anew', (given) => given.pods.change('a', { stampedAt: noon + 1 }), 'changed'],
    ['began to run', (given) => given.pods.change('a', { isRunnerLive: true }), 'changed'],
    ['is being deleted', (given) => given.pods.change('a', { isTerminating: true }), 'changed'],
  ])('keeps one that %s since the list', async ([, meanwhile, outcome]) => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    const retire = stand.store.retire.bind(stand.store);
    stand.store.retire = async (...given) => {
      meanwhile(stand);
      return retire(...given);
    };
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('a');
    expect((await stand.outcomes()).at(-1)).toBe(`orphaned_stamped_pod: ${outcome}`);
  });

  it('keeps one that somebody writes to in the last moment', async () => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    stand.pods.meanwhile = () => stand.pods.change('a', {});
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('a');
    expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: overtaken');
    expect(stand.recovered).toEqual([]);
  });

  it('reads no claims and does nothing when the Pods cannot be listed', async () => {
    stand.pods.listFails = new FleetError('unavailable', { reason: 'Timeout', message: 'no answer' });
    stand.store.claims = async () => expect.fail('claims were read');
    await expect(stand.turn(worker)).rejects.toThrow('no answer');
  });

  it('goes on with the others when one cannot be removed, and the turn was not good', async () => {
    stand.pods.add(seenPod('a'), seenPod('b'));
    await stand.turn(worker, 5 * minute);
    stand.pods.read = async (pod) => {
      if (pod.name === 'a') throw new Error('not now');
      return stand.pods.all.get(pod.uid);
    };
    await expect(stand.turn(worker)).rejects.toThrow('not now');
    expect(stand.pods.names()).toBe('a');
  });

  it('heals a whole pool that one deploy left stamped, once the claims were given back', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await stand.queueJob();
      const { generation, pod, jobId } = await stand.claim(name);
      stand.pods.add(seenPod(name));
      const evidence = { claimedForMs: 300_000 };
      const act = { id: stand.newId(), at: noon, kind: 'stale_claim', jobId, pod, generation, evidence };
      await stand.store.release(generation, act);
    }
    // What was done about one before it was stamped says nothing about the stamp.
    stand.pods.add(seenPod('unknown'), seenPod('later', { stampedAt: noon + 1 }));
    await stand.store.record({ ...draftAct(stand), pod: podOf('later'), outcome: 'released' });
    await stand.turn(worker, 6 * minute);
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('unknown later');
  });

  describe('with a Pod whose job is over and whose session is open', () => {
    it('removes the Pod and closes the session when its runner is not at work', async () => {
      const id = await stand.queueJob();
      const { runnerName } = await stand.serve('a');
      const end = { runnerName: 'of somebody else', startedAt: noon, conclusion: 'success', at: noon };
      await stand.store.apply({ kind: 'complete', job: stand.draftOf(id), end });
      stand.site.board.end(found(stand.site.board.job(id)), 'success');
      await stand.store.settle((await stand.store.claims())[0]?.generation ?? '', draftAct(stand));
      await stand.turn(worker, 16 * minute);
      await stand.turn(worker);
      expect(stand.pods.names()).toBe('');
      expect(await stand.store.openSessions()).toEqual([]);
      expect(stand.site.hall.all.map(({ name }) => name)).not.toContain(runnerName);
    });

    it('keeps it while GitHub says that its runner is at work', async () => {
      const first = await stand.queueJob();
      const served = await stand.serve('a');
      stand.site.board.end(found(stand.site.board.job(first)), 'cancelled');
      const end = { runnerName: undefined, startedAt: undefined, conclusion: 'cancelled', at: noon };
      await stand.store.apply({ kind: 'complete', job: stand.draftOf(first), end });
      await stand.store.settle(served.claim.generation, draftAct(stand));
      // Of this one we never hear.
      await stand.queueJob({ isKnown: false });
      await stand.runFor(served, 3_600_000);
      await stand.turn(worker, 16 * minute);
      await stand.turn(worker);
      expect(stand.pods.names()).toBe('a');
      expect(await stand.outcomes()).toContain('orphaned_stamped_pod: runner-busy');
      // What GitHub would refuse is not even asked for.
      expect(stand.asked.filter((route) => route.startsWith('DELETE'))).toEqual([]);
    });

    it('keeps it when its runner begins to work after the list', async () => {
      await overAt(stand, noon);
      const removeRunner = stand.github.removeRunner.bind(stand.github);
      stand.github.removeRunner = async (...given) => {
        for (const runner of stand.site.hall.all) runner.state = 'busy';
        return removeRunner(...given);
      };
      await stand.turn(worker, 16 * minute);
      await stand.turn(worker);
      expect(stand.pods.names()).toBe('a');
      expect(await stand.outcomes()).toContain('orphaned_stamped_pod: runner-busy');
    });

    it('keeps it until GitHub itself has called the job finished for a quarter of an hour', async () => {
      await overAt(stand, noon - 10 * minute);
      await stand.turn(worker, 14 * minute);
      await stand.turn(worker);
      expect(stand.pods.names()).toBe('a');
      expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: not-finished');
      await stand.turn(worker);
      expect(stand.pods.names()).toBe('');
    });

    it('keeps the session open when somebody writes to the Pod in the last moment', async () => {
      await overAt(stand, noon);
      stand.pods.meanwhile = () => stand.pods.change('a', {});
      await stand.turn(worker, 16 * minute);
      await stand.turn(worker);
      expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: overtaken');
      expect(await stand.store.openSessions()).toHaveLength(1);
    });

    it('goes by the job that its runner did, where that is one of another pool than it was made for', async () => {
      const own = await stand.queueJob();
      const { runnerName, claim } = await stand.serve('a');
      const other = await stand.queueJob({ isKnown: false });
      const job = { ...stand.draftOf(other), pool: 'another' };
      await stand.store.apply({ kind: 'start', job, runnerName, at: noon });
      const end = { runnerName, startedAt: noon, conclusion: 'success', at: noon };
      await stand.store.apply({ kind: 'complete', job, end });
      await stand.store.settle(claim.generation, draftAct(stand));
      stand.site.board.end(found(stand.site.board.job(other)), 'success');
      expect(await stand.store.openSessions()).toMatchObject([{ jobId: own, executedJobId: other }]);
      await stand.turn(worker, 16 * minute);
      await stand.turn(worker);
      expect(stand.pods.names()).toBe('');
    });

    it('keeps it when GitHub does not call the job finished', async () => {
      const id = await stand.queueJob();
      const { claim } = await stand.serve('a');
      const givenUp = { jobId: id, from: 'running', conclusion: 'gone', at: noon } as const;
      await stand.store.giveUp(givenUp, draftAct(stand));
      await stand.store.settle(claim.generation, draftAct(stand));
      await stand.turn(worker, 16 * minute);
      await stand.turn(worker);
      expect(stand.pods.names()).toBe('a');
      expect(await stand.outcomes()).toContain('orphaned_stamped_pod: not-finished');
    });

    describe('in a repository that GitHub does not know any more', () => {
      const unknown = new FleetError('gone', { reason: 'NotFound', message: 'Not Found' });
      beforeEach(() => {
        stand.github.job = async () => {
          throw unknown;
        };
      });

      it('removes it when its runner is not at work', async () => {
        await overAt(stand, noon);
        await stand.turn(worker, 16 * minute);
        await stand.turn(worker);
        expect(stand.pods.names()).toBe('');
        expect(await stand.store.openSessions()).toEqual([]);
      });

      it('keeps it while its runner is at work: the App may only have lost the repository', async () => {
        await overAt(stand, noon);
        for (const runner of stand.site.hall.all) runner.state = 'busy';
        await stand.turn(worker, 16 * minute);
        await stand.turn(worker);
        expect(stand.pods.names()).toBe('a');
        expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: runner-busy');
      });

      it('keeps it when nobody but us has called its job finished', async () => {
        await overAt(stand, noon, 'gone');
        await stand.turn(worker, 16 * minute);
        await stand.turn(worker);
        expect(stand.pods.names()).toBe('a');
        expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: not-finished');
      });

      it('keeps it where GitHub says nothing of its runner either', async () => {
        await overAt(stand, noon);
        stand.github.runnerNamed = async () => {
          throw unknown;
        };
        await stand.turn(worker, 16 * minute);
        await expect(stand.turn(worker)).rejects.toThrow(unknown);
        expect(stand.pods.names()).toBe('a');
        expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: failed');
      });
    });
  });
});

/** The job of the Pod `a` ends at GitHub now, and ended at this time for us; its session stays open. */
async function overAt(stand: RecoveryStand, at: number, conclusion = 'success'): Promise<void> {
  const id = await stand.queueJob();
  const { claim } = await stand.serve('a');
  stand.site.board.end(found(stand.site.board.job(id)), 'success');
  const end = { runnerName: undefined, startedAt: undefined, conclusion, at };
  await stand.store.apply({ kind: 'complete', job: stand.draftOf(id), end });
  await stand.store.settle(claim.generation, draftAct(stand));
}

function draftAct(stand: RecoveryStand) {
  const about = { jobId: undefined, pod: undefined, generation: undefined };
  return { id: stand.newId(), at: noon, kind: 'test', ...about, evidence: {} };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not there');
  return value;
}
