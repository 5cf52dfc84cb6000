import { beforeEach, describe, expect, it } from 'vitest';
import { claimOn, minute, RecoveryStand, seenPod, sessionOn } from '../../../test/recovery-stand.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { draft, noon, podOf } from '../store/contract/stage.ts';
import { newJob } from '../store/contract/model/tables.ts';
import {
  confirmOrphans,
  decideStampedPods,
  OrphanedStampedPods,
  stampedPodLimits,
  subjectOf,
  type StampedPodLook,
} from './orphaned-stamped-pods.ts';
import type { SeenPod } from './runner-pods.ts';

const at = noon + 10 * minute;

function look(pods: readonly SeenPod[], other: Partial<StampedPodLook> = {}): StampedPodLook {
  return { at, pods, claims: [], sessions: [], jobs: new Map(), vouchedFor: new Set(), ...other };
}

/** At the second look. */
function taken(of: StampedPodLook): string {
  const since = new Map(of.pods.map((pod) => [subjectOf(pod), at - minute]));
  const orphans = decideStampedPods(of, stampedPodLimits);
  return confirmOrphans(orphans, { since, at }, stampedPodLimits)
    .map(({ pod }) => pod.name)
    .join(' ');
}

function over(minutesAgo: number) {
  const completedAt = at - minutesAgo * minute;
  return new Map(['1', '2'].map((id) => [id, { ...newJob(draft(id), 'completed'), completedAt }]));
}

describe('a stamped Pod', () => {
  it.for<readonly [string, Partial<SeenPod>, string]>([
    ['that nobody speaks for is taken', {}, 'a'],
    ['whose stamp is young is kept', { stampedAt: at - 299_000 }, ''],
    ['whose stamp is as old as the grace is taken', { stampedAt: at - 300_000 }, 'a'],
    ['of which nobody can tell how old the stamp is is kept', { stampedAt: undefined }, ''],
    ['in which a runner was started is kept', { isRunnerLive: true }, ''],
    ['that is being deleted is kept', { isTerminating: true }, ''],
    ['that has ended is kept', { isTerminal: true }, ''],
    ['whose stamp was taken off is kept', { isStamped: false }, ''],
  ])('%s', ([, how, expected]) => {
    expect(taken(look([seenPod('a', how)]))).toBe(expected);
  });

  it.for<readonly [string, Partial<StampedPodLook>, string]>([
    ['with a claim', { claims: [claimOn('a')] }, 'b'],
    ['with an open session', { sessions: [sessionOn('a')] }, 'b'],
    ['with both', { claims: [claimOn('a')], sessions: [sessionOn('a')] }, 'b'],
    [
      'whose name another Pod had, which a claim still names',
      { claims: [claimOn('a', { pod: { name: 'a', uid: 'an older one' } })] },
      'a b',
    ],
  ])('%s is judged by its uid, and those beside it for themselves', ([, stored, expected]) => {
    expect(taken(look([seenPod('a'), seenPod('b')], stored))).toBe(expected);
  });

  it.for<readonly [string, Partial<StampedPodLook>, string]>([
    ['is over for 16 minutes', { jobs: over(16) }, 'a'],
    ['is over for 15 minutes', { jobs: over(15) }, ''],
    ['is not known', {}, ''],
    ['is not over', { jobs: new Map([['1', newJob(draft('1'), 'running')]]) }, ''],
    ['is over, and a claim is on it', { jobs: over(16), claims: [claimOn('a')] }, ''],
    [
      'is over, but its runner has another one',
      {
        jobs: new Map([...over(16), ['2', newJob(draft('2'), 'running')]]),
        sessions: [sessionOn('a', { executedJobId: '2' })],
      },
      '',
    ],
  ])('with an open session whose job %s', ([, stored, expected]) => {
    const pod = seenPod('a', { isRunnerLive: true });
    expect(taken(look([pod], { sessions: [sessionOn('a')], ...stored }))).toBe(expected);
  });

  it('among three at work, while nothing at all is stored, is kept: the database may be the wrong one', () => {
    const pods = ['a', 'b', 'c'].map((name) => seenPod(name));
    expect(taken(look(pods))).toBe('');
    expect(taken(look(pods.slice(0, 2)))).toBe('a b');
    expect(taken(look(pods, { sessions: [sessionOn('z')] }))).toBe('a b c');
    expect(taken(look(pods, { vouchedFor: new Set([podOf('b').uid]) }))).toBe('b');
    expect(taken(look([...pods.slice(0, 2), seenPod('c', { isTerminal: true })]))).toBe('a b');
  });

  it('is taken when it was an orphan for a minute, the longest first, and not too many', () => {
    const orphans = decideStampedPods(
      look(
        ['a', 'b', 'c'].map((name) => seenPod(name)),
        { sessions: [sessionOn('z')] },
      ),
      stampedPodLimits,
    );
    const since = new Map([
      [subjectOf(seenPod('a')), at - minute],
      [subjectOf(seenPod('b')), at - 2 * minute],
      [subjectOf(seenPod('c')), at - minute + 1],
    ]);
    const names = (max: number): string =>
      confirmOrphans(orphans, { since, at }, { ...stampedPodLimits, max })
        .map(({ pod }) => pod.name)
        .join(' ');
    expect(names(10)).toBe('b a');
    expect(names(1)).toBe('b');
    expect(names(0)).toBe('');
  });
});

describe('the worker', () => {
  let stand: RecoveryStand;
  let worker: OrphanedStampedPods;
  beforeEach(async () => {
    stand = new RecoveryStand();
    worker = new OrphanedStampedPods(stand.ports);
    await stand.install();
  });
  const present = (): string => [...stand.pods.all.values()].map(({ name }) => name).join(' ');

  it('takes an orphan at the second look, retires it first, and writes down why', async () => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    expect(present()).toBe('a');
    await stand.turn(worker);
    expect(present()).toBe('');
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
    expect(present()).toBe('a');
    await stand.turn(worker);
    expect(present()).toBe('');
  });

  it('begins anew with one that was stamped anew', async () => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    stand.pods.change('a', { stampedAt: noon - minute });
    await stand.turn(worker);
    expect(present()).toBe('a');
  });

  it('begins anew with one that was well in between', async () => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    stand.pods.change('a', { isStamped: false });
    await stand.turn(worker);
    stand.pods.change('a', { isStamped: true });
    await stand.turn(worker);
    expect(present()).toBe('a');
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
    expect(present()).toBe('a');
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
    expect(present()).toBe('a');
    expect((await stand.outcomes()).at(-1)).toBe(`orphaned_stamped_pod: ${outcome}`);
  });

  it('keeps one that somebody writes to in the last moment', async () => {
    stand.pods.add(seenPod('a'));
    await stand.turn(worker, 5 * minute);
    stand.pods.meanwhile = () => stand.pods.change('a', {});
    await stand.turn(worker);
    expect(present()).toBe('a');
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
    expect(present()).toBe('a');
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
    expect(present()).toBe('unknown later');
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
      expect(present()).toBe('');
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
      expect(present()).toBe('a');
      expect(await stand.outcomes()).toContain('orphaned_stamped_pod: runner-busy');
    });

    it('keeps it when GitHub does not call the job finished', async () => {
      const id = await stand.queueJob();
      const { claim } = await stand.serve('a');
      const givenUp = { jobId: id, from: 'running', conclusion: 'gone', at: noon } as const;
      await stand.store.giveUp(givenUp, draftAct(stand));
      await stand.store.settle(claim.generation, draftAct(stand));
      await stand.turn(worker, 16 * minute);
      await stand.turn(worker);
      expect(present()).toBe('a');
      expect(await stand.outcomes()).toContain('orphaned_stamped_pod: not-finished');
    });
  });
});

function draftAct(stand: RecoveryStand) {
  const about = { jobId: undefined, pod: undefined, generation: undefined };
  return { id: stand.newId(), at: noon, kind: 'test', ...about, evidence: {} };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not there');
  return value;
}
