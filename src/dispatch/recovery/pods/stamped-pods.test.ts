import { describe, expect, it } from 'vitest';
import { claimOn, minute, seenPod, sessionOn } from '../../../../lab/harness/recovery-harness.ts';
import { draft, noon, podOf } from '../../../../lab/contracts/store/harness.ts';
import { newJob } from '../../store/model/tables.ts';
import { KeyedBackoff } from '../scheduler/keyed-backoff.ts';
import type { Job, Session } from '../../store/rows.ts';
import type { SeenPod } from './runner-pods.ts';
import {
  confirmOrphans,
  decideStampedPods,
  stampedPodLimits,
  subjectOf,
  type StampedPodLook,
} from './stamped-pods.ts';

const at = noon + 10 * minute;

function look(pods: readonly SeenPod[], other: Partial<StampedPodLook> = {}): StampedPodLook {
  const { accountId } = draft('1');
  return {
    at,
    // Of an account with an active installation, unless given otherwise.
    pods: pods.map((pod) => ({ ...pod, accountId: pod.accountId ?? accountId })),
    claims: [],
    sessions: [],
    jobs: new Map(),
    installations: [{ id: '1', accountId, state: 'active' }],
    vouchedFor: new Set(),
    ...other,
  };
}

/** The Pods removed at the second look, after this time of suspicion. */
function taken(of: StampedPodLook, suspectedMs = minute): string {
  const since = new Map(of.pods.map((pod) => [subjectOf(pod), at - suspectedMs]));
  const orphans = decideStampedPods(of, stampedPodLimits);
  return confirmOrphans(orphans, { since, at, asked: new KeyedBackoff(minute) }, stampedPodLimits)
    .map(({ pod }) => pod.name)
    .join(' ');
}

function over(minutesAgo: number) {
  const completedAt = at - minutesAgo * minute;
  return new Map(['1', '2'].map((id) => [id, { ...newJob(draft(id), 'completed'), completedAt }]));
}

describe('a stamped Pod', () => {
  it.for<readonly [string, Partial<SeenPod>, string]>([
    ['without claim and session is removed', {}, 'a'],
    ['whose stamp is young is kept', { stampedAt: at - 299_000 }, ''],
    ['whose stamp is as old as the grace period is removed', { stampedAt: at - 300_000 }, 'a'],
    ['with a stamp of unknown age is kept', { stampedAt: undefined }, ''],
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
  ])('a Pod %s is matched by its uid, independently of other Pods', ([, stored, expected]) => {
    expect(taken(look([seenPod('a'), seenPod('b')], stored))).toBe(expected);
  });

  it.for<readonly [string, Partial<StampedPodLook>, string]>([
    ['is over for 16 minutes', { jobs: over(16) }, 'a'],
    ['is over for 15 minutes', { jobs: over(15) }, ''],
    ['is not known', {}, ''],
    ['is not over', { jobs: new Map([['1', newJob(draft('1'), 'running')]]) }, ''],
    ['is over, and the Pod has a claim', { jobs: over(16), claims: [claimOn('a')] }, ''],
    [
      'is over, but the runner has another job',
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

  it.for<readonly [string, Partial<Job>, Partial<Session>, string]>([
    ['waits again', {}, {}, 'a'],
    ['was handed to another Pod', { state: 'running', generation: 'g-of another' }, {}, 'a'],
    ['still belongs to the Pod', { state: 'running', generation: 'g-a' }, {}, ''],
    ['waits again, while the runner started another job', {}, { executedJobId: '2' }, ''],
  ])('with an open session whose job %s is given a quarter of an hour', ([, how, other, expected]) => {
    const jobs = new Map(
      [
        { ...newJob(draft('1'), 'queued'), ...how },
        { ...newJob(draft('2'), 'running'), generation: 'g-other' },
      ].map((job) => [job.id, job]),
    );
    const pod = seenPod('a', { isRunnerLive: true });
    const known = look([pod], { sessions: [sessionOn('a', other)], jobs });
    expect(taken(known, 15 * minute - 1)).toBe('');
    expect(taken(known, 15 * minute)).toBe(expected);
  });

  it('among three stamped Pods is kept while the store is empty: it may be the wrong database', () => {
    const pods = ['a', 'b', 'c'].map((name) => seenPod(name));
    expect(taken(look(pods))).toBe('');
    expect(taken(look(pods.slice(0, 2)))).toBe('a b');
    expect(taken(look(pods, { sessions: [sessionOn('z')] }))).toBe('a b c');
    expect(taken(look(pods, { vouchedFor: new Set([podOf('b').uid]) }))).toBe('b');
    expect(taken(look([...pods.slice(0, 2), seenPod('c', { isTerminal: true })]))).toBe('a b');
  });

  it('is removed after a minute as orphan, longest first, up to the limit', () => {
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
      confirmOrphans(orphans, { since, at, asked: new KeyedBackoff(minute) }, { ...stampedPodLimits, max })
        .map(({ pod }) => pod.name)
        .join(' ');
    expect(names(10)).toBe('b a');
    expect(names(1)).toBe('b');
    expect(names(0)).toBe('');
  });
});
