/** Pods whose job was given back because their runner never started are removed, however long that job waits. */
import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryHarness, type Served } from '../../../lab/harness/recovery-harness.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { OrphanedRunners } from './jobs/orphaned-runners.ts';
import { OrphanedStampedPods } from './pods/orphaned-stamped-pods.ts';

describe('a Pod whose runner hangs before GitHub sees it', () => {
  let harness: RecoveryHarness;
  let worker: OrphanedStampedPods;
  let served: Served;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    worker = new OrphanedStampedPods(harness.ports);
    await harness.install();
    await harness.queueJob();
    served = await harness.serve('a');
    await harness.round(new OrphanedRunners(harness.ports), 6 * minute);
    // The suspicion begins.
    await harness.round(worker);
  });

  it('is removed after a quarter of an hour although its job still waits, and its session ends', async () => {
    expect(await harness.store.claims()).toEqual([]);
    expect(await harness.store.openSessions()).toHaveLength(1);
    await harness.round(worker, 14 * minute);
    expect(harness.pods.names()).toBe('a');
    await harness.round(worker);
    expect(harness.pods.names()).toBe('');
    expect(await harness.store.openSessions()).toEqual([]);
    expect(harness.recovered).toEqual(['orphan_requeued', 'orphaned_stamped_pod']);
    const [act] = await harness.store.acts({ podUids: [served.claim.pod.uid], limit: 1 });
    expect(act).toMatchObject({ outcome: 'deleted', evidence: { why: 'job given back' } });
  });

  it('is reported as deleted even if its session could not be closed, which another worker then does', async () => {
    const podStopped = harness.store.podStopped.bind(harness.store);
    harness.store.podStopped = async () => {
      throw new FleetError('unavailable', { reason: 'Unavailable', message: 'the connection was lost' });
    };
    await harness.round(worker, 15 * minute);
    harness.store.podStopped = podStopped;
    expect([harness.pods.names(), await harness.store.openSessions()]).toMatchObject(['', [{}]]);
    expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: deleted');
    expect(harness.recovered.at(-1)).toBe('orphaned_stamped_pod');
  });

  it('is removed when another Pod has its job', async () => {
    const { claim } = await harness.serve('b');
    expect(claim.jobId).toBe(served.claim.jobId);
    await harness.round(worker, 15 * minute);
    expect(harness.pods.names()).toBe('b');
  });

  it('is removed when GitHub no longer knows its job', async () => {
    harness.github.job = async () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'Not Found' });
    };
    await harness.round(worker, 15 * minute);
    expect(harness.pods.names()).toBe('');
  });

  it('is an ordinary Pod once GitHub has named its runner', async () => {
    const job = harness.draftOf(served.claim.jobId);
    await harness.store.apply({ kind: 'start', job, runnerName: served.runnerName, at: harness.clock.now() });
    await harness.round(worker, 15 * minute);
    await harness.round(worker);
    expect(harness.pods.names()).toBe('a');
  });

  it('stays when GitHub names its runner as the executor', async () => {
    const jobOf = harness.github.job.bind(harness.github);
    harness.github.job = async (...given) => {
      const { runnerName } = served;
      return { ...(await jobOf(...given)), status: 'in_progress', runnerName };
    };
    await harness.round(worker, 15 * minute);
    expect(harness.pods.names()).toBe('a');
    expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: not-finished');
  });

  it.for([
    ['is online and idle', { isOnline: true, isBusy: false }],
    ['is busy', { isOnline: false, isBusy: true }],
  ] as const)('stays while GitHub says that its runner %s', async ([, how]) => {
    harness.github.runnerNamed = async (_tenant, name) => ({
      id: '1',
      place: 'organisation',
      name,
      labels: [],
      ...how,
    });
    harness.github.removeRunner = async () => expect.fail('its registration is removed');
    await harness.round(worker, 15 * minute);
    expect(harness.pods.names()).toBe('a');
    expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: runner-busy');
  });
});
