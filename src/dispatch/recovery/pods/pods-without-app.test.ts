/**
 * Stamped Pods about which GitHub cannot be queried, or whose database may be the wrong one: idle Pods are removed in
 * the end, busy Pods stay.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  claimOn,
  minute,
  RecoveryHarness,
  seenPod,
  sessionOn,
} from '../../../../lab/harness/recovery-harness.ts';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import { noon } from '../../../../lab/contracts/store/harness.ts';
import type { Installation } from '../../store/rows.ts';
import { OrphanedStampedPods } from './orphaned-stamped-pods.ts';
import type { SeenPod } from './runner-pods.ts';
import { longestWorkMs, surelyIdle, unheardBecause, type SpokenFor } from './pods-without-app.ts';

const at = noon + longestWorkMs;
const young = noon + minute;
const dayMs = 1440 * minute;

it.for<readonly [string, Partial<SeenPod>, Partial<SpokenFor>, string | undefined]>([
  ['without a registration', {}, {}, 'nothing was handed out'],
  ['that an older tool has stamped', { hasOurStamp: false }, {}, undefined],
  ['whose annotation says served', { isServed: true }, {}, undefined],
  ['in which a runner was started', { isRunnerLive: true }, {}, undefined],
  ['with a session', {}, { session: sessionOn('a') }, undefined],
  ['with a claim', {}, { claim: claimOn('a') }, undefined],
  ['whose runner has ended', { isServed: true, hasRunnerEnded: true }, {}, 'its runner has ended'],
  [
    'whose runner has ended, with claim and session',
    { isServed: true, hasRunnerEnded: true },
    { claim: claimOn('a'), session: sessionOn('a') },
    'its runner has ended',
  ],
  [
    'with a dispatch under way',
    { hasRunnerEnded: true },
    { claim: claimOn('a', { state: 'claimed' }) },
    undefined,
  ],
  [
    'whose stamp is older than any job takes',
    { isServed: true, isRunnerLive: true, stampedAt: noon },
    { claim: claimOn('a'), session: sessionOn('a') },
    'no job takes as long',
  ],
  ['with a stamp of unknown age', { stampedAt: undefined }, {}, undefined],
])('whether a Pod %s is certainly idle', ([, how, stored, expected]) => {
  const pod = seenPod('a', { stampedAt: young, ...how });
  expect(surelyIdle(pod, { claim: undefined, session: undefined, ...stored }, at)).toBe(expected);
});

it.for<readonly [readonly Installation['state'][], string | undefined]>([
  [['active'], undefined],
  [['removed', 'active'], undefined],
  [['removed', 'suspended'], 'app-suspended'],
  [['removed'], 'app-removed'],
  [[], 'account-unknown'],
])('with installations %s GitHub cannot be queried because: %s', ([states, expected]) => {
  const installations = states.map((state, index) => ({ id: `${index}`, accountId: '7', state }));
  const others = { id: 'other', accountId: '8', state: 'active' } as const;
  expect(unheardBecause('7', [...installations, others])).toBe(expected);
});

describe('the worker', () => {
  let harness: RecoveryHarness;
  let worker: OrphanedStampedPods;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    worker = new OrphanedStampedPods(harness.ports);
    await harness.install();
  });
  const rounds = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) await harness.round(worker);
  };
  const staying = (): object =>
    Object.fromEntries(
      worker
        .staying()
        .filter(({ count }) => count > 0)
        .map(({ reason, count }) => [reason, count]),
    );

  it('heals a pool whose Pods all hang after a quarter of an hour, asking GitHub about each Pod', async () => {
    harness.pods.add(...['a', 'b', 'c'].map((name) => seenPod(name)));
    await rounds(15);
    expect([harness.pods.names(), staying(), harness.asked]).toEqual([
      'a b c',
      { 'doubtful-database': 3 },
      [],
    ]);
    await rounds(1);
    expect([harness.pods.names(), staying()]).toEqual(['', {}]);
    expect(harness.asked).not.toEqual([]);
  });

  it('keeps the Pod of such a pool whose runner is busy, however long its job takes', async () => {
    const names = ['a', 'b', 'c'];
    harness.pods.add(...names.map((name) => seenPod(name, { isServed: true })));
    const order = { name: 'a-00000001', labels: ['x'], workFolder: '/' };
    await harness.github.register({ ...harness.tenant, ...order });
    for (const runner of harness.site.hall.all) runner.state = 'busy';
    await rounds(60);
    expect([harness.pods.names(), staying()]).toEqual(['a', { 'runner-busy': 1 }]);
  });

  it('removes the Pod of a removed App and closes its session, once its runner has ended', async () => {
    await harness.queueJob();
    const { claim } = await harness.serve('a');
    await harness.install('removed');
    await rounds(30);
    expect([harness.pods.names(), staying()]).toEqual(['a', { 'app-removed': 1 }]);
    harness.pods.change('a', { hasRunnerEnded: true });
    await rounds(2);
    expect([harness.pods.names(), staying()]).toEqual(['', {}]);
    expect([await harness.store.openSessions(), await harness.store.claims()]).toEqual([[], []]);
    expect(claim.pod.name).toBe('a');
  });

  it('removes the Pod of a removed App after the longest time of a job, and not before', async () => {
    await harness.queueJob();
    await harness.serve('a');
    await harness.install('removed');
    await harness.round(worker, longestWorkMs - minute);
    await rounds(1);
    expect(harness.pods.names()).toBe('a');
    await rounds(1);
    expect([harness.pods.names(), await harness.store.openSessions()]).toEqual(['', []]);
  });

  it('does the same while the App is suspended', async () => {
    await harness.queueJob();
    await harness.serve('a');
    await harness.install('suspended');
    await rounds(30);
    expect([harness.pods.names(), staying()]).toEqual(['a', { 'app-suspended': 1 }]);
    harness.pods.change('a', { hasRunnerEnded: true });
    await rounds(2);
    expect([harness.pods.names(), await harness.store.claims()]).toEqual(['', []]);
  });

  it('removes a Pod whose job is over after the longest time of a job, even if GitHub does not answer', async () => {
    const id = await harness.queueJob();
    const { claim } = await harness.serve('a');
    const end = { runnerName: undefined, startedAt: undefined, conclusion: 'gone', at: noon };
    await harness.store.apply({ kind: 'complete', job: harness.draftOf(id), end });
    const about = { jobId: undefined, pod: undefined, generation: undefined, evidence: {} };
    await harness.store.settle(claim.generation, { id: harness.newId(), at: noon, kind: 'test', ...about });
    harness.github.job = async () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'Not Found' });
    };
    await harness.round(worker, longestWorkMs - 2 * minute);
    await rounds(1);
    expect([harness.pods.names(), staying()]).toEqual(['a', { 'not-finished': 1 }]);
    await rounds(2);
    expect([harness.pods.names(), await harness.store.openSessions()]).toEqual(['', []]);
  });

  it('keeps a Pod with a claim for longer if GitHub answers', async () => {
    await harness.queueJob();
    await harness.serve('a');
    await harness.round(worker, longestWorkMs);
    await rounds(2);
    expect(harness.pods.names()).toBe('a');
  });

  it('keeps a Pod whose runner starts at the last moment', async () => {
    await harness.install('removed');
    harness.pods.add(seenPod('a'));
    await harness.round(worker, 5 * minute);
    const block = harness.store.block.bind(harness.store);
    harness.store.block = async (...given) => {
      harness.pods.change('a', { isServed: true });
      return block(...given);
    };
    await rounds(1);
    expect([harness.pods.names(), (await harness.outcomes()).at(-1)]).toEqual([
      'a',
      'orphaned_stamped_pod: changed',
    ]);
  });

  it('keeps Pods stamped by an older tool, of unknown accounts, during a migration to Muster', async () => {
    const older = { hasOurStamp: false, accountId: 'an id of theirs' };
    harness.pods.add(...['a', 'b', 'c'].map((name) => seenPod(name, older)));
    await rounds(60);
    expect([harness.pods.names(), staying()]).toEqual(['a b c', { 'account-unknown': 3 }]);
  });

  it('dates the stamp of an older tool from the first look, however old the Pod is', async () => {
    const older = { hasOurStamp: false, isRunnerLive: true, accountId: 'theirs' };
    harness.pods.add(seenPod('a', { ...older, stampedAt: noon - 7 * dayMs }));
    harness.pods.add(seenPod('b', { ...older, stampedAt: undefined }));
    await rounds(60);
    expect([harness.pods.names(), staying()]).toEqual(['a b', { 'account-unknown': 2 }]);
    harness.pods.change('b', { accountId: 'of another job' });
    await harness.round(worker, longestWorkMs - 30 * minute);
    await rounds(2);
    expect(harness.pods.names()).toBe('b');
  });

  it('shows an orphaned Pod in which a runner was started', async () => {
    harness.pods.add(seenPod('a', { isServed: true, isRunnerLive: true }));
    await rounds(6);
    expect([harness.pods.names(), staying()]).toEqual(['a', { 'runner-started': 1 }]);
  });

  it('shows staying Pods only while this replica is the one that looks', async () => {
    harness.pods.add(...['a', 'b', 'c'].map((name) => seenPod(name)));
    await rounds(6);
    expect(staying()).toEqual({ 'doubtful-database': 3 });
    await harness.clock.pass(3 * minute + 1);
    expect(worker.staying()).toEqual([]);
  });
});
