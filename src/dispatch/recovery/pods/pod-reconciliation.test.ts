import { beforeEach, describe, expect, it } from 'vitest';
import {
  claimOn,
  minute,
  RecoveryHarness,
  seenPod,
  sessionOn,
} from '../../../../lab/harness/recovery-harness.ts';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import { newJob } from '../../store/model/tables.ts';
import { draft, noon, podOf } from '../../../../lab/contracts/store/harness.ts';
import type { Job } from '../../store/rows.ts';
import {
  confirmMissing,
  decideMissing,
  endOfSession,
  oldEnough,
  PodReconciliation,
  reconciliationLimits,
} from './pod-reconciliation.ts';

const hour = 60 * minute;
const at = noon + hour;
function names(of: readonly { readonly pod: { readonly name: string } }[]): string {
  return of.map(({ pod }) => pod.name).join(' ');
}

describe('a stored Pod', () => {
  it('is checked when old enough: a claim after ten minutes, a session alone after fifteen', () => {
    const young = oldEnough(
      {
        at,
        claims: [claimOn('a', { claimedAt: at - 10 * minute })],
        sessions: [sessionOn('b', { startedAt: at - 15 * minute })],
      },
      reconciliationLimits,
    );
    expect(names(young)).toBe('');
    const old = oldEnough(
      {
        at,
        claims: [claimOn('a', { claimedAt: at - 10 * minute - 1 })],
        sessions: [
          sessionOn('a', { startedAt: at - minute }),
          sessionOn('b', { startedAt: at - 15 * minute - 1 }),
        ],
      },
      reconciliationLimits,
    );
    expect(old.map(({ pod, claim, session }) => [pod.name, claim?.generation, session?.id])).toEqual([
      ['b', undefined, 's-b'],
      ['a', 'g-a', 's-a'],
    ]);
  });

  const stored = ['a', 'b', 'c'].map((name) => ({
    pod: podOf(name),
    claim: claimOn(name),
    session: undefined,
  }));

  it('is missing if no Pod with its uid is listed; an empty list proves nothing', () => {
    expect(names(decideMissing(stored, [seenPod('a'), seenPod('b', { uid: 'another' })]))).toBe('b c');
    expect(names(decideMissing(stored, []))).toBe('');
  });

  it('is closed when missing for five minutes, a session alone for one, longest first, up to the limit', () => {
    const alone = { pod: podOf('d'), claim: undefined, session: sessionOn('d') };
    const since = new Map([
      [podOf('a').uid, at - 5 * minute],
      [podOf('b').uid, at - 6 * minute],
      [podOf('c').uid, at - 5 * minute + 1],
      [podOf('d').uid, at - minute],
    ]);
    const all = [...stored, alone];
    expect(names(confirmMissing(all, { since, at }, reconciliationLimits))).toBe('b a d');
    const one = { ...reconciliationLimits, claimsMax: 1, sessionsMax: 0 };
    expect(names(confirmMissing(all, { since, at }, one))).toBe('b');
  });

  const over = (completedAt: number): Job => ({ ...newJob(draft('1'), 'completed'), completedAt });
  it.for<readonly [string, Job | undefined, number, number]>([
    ['when its job ended', over(noon + 5), at, noon + 5],
    ['now, where no job is known', undefined, at, at],
    ['now, where its job goes on', newJob(draft('1'), 'running'), at, at],
    ['when it began, where its job ended before', over(noon - 5), at, noon],
    ['now, where its job is said to end later', over(at + 5), at, at],
    ['after six hours at the latest', undefined, noon + 7 * hour, noon + 6 * hour],
  ])('ended %s', ([, job, now, expected]) => {
    expect(endOfSession(sessionOn('a'), job, now)).toBe(expected);
  });
});

describe('the worker', () => {
  let harness: RecoveryHarness;
  let worker: PodReconciliation;
  let looks: string[];
  beforeEach(async () => {
    harness = new RecoveryHarness();
    looks = [];
    worker = new PodReconciliation(harness.ports, ({ jobs }) => void looks.push(...jobs.map(({ id }) => id)));
    await harness.install();
  });

  it('closes claim and session of a missing Pod, and queries GitHub for its job', async () => {
    const id = await harness.queueJob();
    await harness.serve('a');
    harness.pods.all.clear();
    harness.pods.add(seenPod('z'));
    await harness.round(worker, 11 * minute);
    expect(await harness.store.claims()).toHaveLength(1);
    for (let index = 0; index < 5; index += 1) await harness.round(worker);
    expect(await harness.store.claims()).toEqual([]);
    expect(await harness.store.openSessions()).toEqual([]);
    expect(looks).toEqual([id]);
    expect((await harness.job(id)).ending).toMatchObject({ reason: 'PodGone' });
    expect(await harness.outcomes()).toEqual(['pod_missing_claim: closed']);
  });

  it('starts over with a Pod that was listed again', async () => {
    await harness.queueJob();
    await harness.serve('a');
    harness.pods.add(seenPod('z'));
    const pod = harness.pods.all.get(podOf('a').uid) ?? seenPod('a');
    harness.pods.all.delete(pod.uid);
    await harness.round(worker, 11 * minute);
    harness.pods.add(pod);
    await harness.round(worker);
    harness.pods.all.delete(pod.uid);
    for (let index = 0; index < 5; index += 1) await harness.round(worker);
    expect(await harness.store.claims()).toHaveLength(1);
  });

  it('requeues the job of a claim that was never promoted', async () => {
    const id = await harness.queueJob();
    await harness.claim('a');
    harness.pods.add(seenPod('z'));
    await harness.round(worker, 11 * minute);
    await harness.round(worker, 5 * minute);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('closes nothing while no Pod is listed or the list fails, and lists none where nothing is old', async () => {
    await harness.queueJob();
    await harness.serve('a');
    harness.pods.all.clear();
    await harness.round(worker, 5 * minute);
    expect(harness.pods.lists).toBe(0);
    for (let index = 0; index < 20; index += 1) await harness.round(worker);
    expect(harness.said).toContain(
      'skipped reconciliation: the list of runner Pods is empty, but Pods are stored',
    );
    harness.pods.listFails = new FleetError('unavailable', { reason: 'Timeout', message: 'no answer' });
    await expect(harness.round(worker)).rejects.toThrow('no answer');
    expect(await harness.store.claims()).toHaveLength(1);
    expect(await harness.store.openSessions()).toHaveLength(1);
  });
});
