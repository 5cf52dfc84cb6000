/** Pods whose job was given back because their runner never came: they go, however long that job waits. */
import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryStand, type Served } from '../../../test/recovery-stand.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { OrphanedRunners } from './orphaned-runners.ts';
import { OrphanedStampedPods } from './orphaned-stamped-pods.ts';

describe('a Pod whose runner hangs before GitHub sees it', () => {
  let stand: RecoveryStand;
  let worker: OrphanedStampedPods;
  let served: Served;
  beforeEach(async () => {
    stand = new RecoveryStand();
    worker = new OrphanedStampedPods(stand.ports);
    await stand.install();
    await stand.queueJob();
    served = await stand.serve('a');
    await stand.turn(new OrphanedRunners(stand.ports), 6 * minute);
    // The suspicion begins.
    await stand.turn(worker);
  });

  it('goes after a quarter of an hour although its job still waits, and its session ends', async () => {
    expect(await stand.store.claims()).toEqual([]);
    expect(await stand.store.openSessions()).toHaveLength(1);
    await stand.turn(worker, 14 * minute);
    expect(stand.pods.names()).toBe('a');
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('');
    expect(await stand.store.openSessions()).toEqual([]);
    expect(stand.recovered).toEqual(['orphan_requeued', 'orphaned_stamped_pod']);
    const [act] = await stand.store.acts({ podUids: [served.claim.pod.uid], limit: 1 });
    expect(act).toMatchObject({ outcome: 'deleted', evidence: { why: 'job given back' } });
  });

  it('is told as deleted also where its session could not be closed, which another worker then does', async () => {
    const podStopped = stand.store.podStopped.bind(stand.store);
    stand.store.podStopped = async () => {
      throw new FleetError('unavailable', { reason: 'Unavailable', message: 'the connection was lost' });
    };
    await stand.turn(worker, 15 * minute);
    stand.store.podStopped = podStopped;
    expect([stand.pods.names(), await stand.store.openSessions()]).toMatchObject(['', [{}]]);
    expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: deleted');
    expect(stand.recovered.at(-1)).toBe('orphaned_stamped_pod');
  });

  it('goes when another Pod has its job', async () => {
    const { claim } = await stand.serve('b');
    expect(claim.jobId).toBe(served.claim.jobId);
    await stand.turn(worker, 15 * minute);
    expect(stand.pods.names()).toBe('b');
  });

  it('goes when GitHub does not know its job any more', async () => {
    stand.github.job = async () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'Not Found' });
    };
    await stand.turn(worker, 15 * minute);
    expect(stand.pods.names()).toBe('');
  });

  it('is a Pod as any other when its runner was named meanwhile', async () => {
    const job = stand.draftOf(served.claim.jobId);
    await stand.store.apply({ kind: 'start', job, runnerName: served.runnerName, at: stand.clock.now() });
    await stand.turn(worker, 15 * minute);
    await stand.turn(worker);
    expect(stand.pods.names()).toBe('a');
  });

  it('stays when GitHub names its runner as the one at work', async () => {
    const jobOf = stand.github.job.bind(stand.github);
    stand.github.job = async (...given) => {
      const { runnerName } = served;
      return { ...(await jobOf(...given)), status: 'in_progress', runnerName };
    };
    await stand.turn(worker, 15 * minute);
    expect(stand.pods.names()).toBe('a');
    expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: not-finished');
  });

  it.for([
    ['waits on the line', { isOnline: true, isBusy: false }],
    ['works', { isOnline: false, isBusy: true }],
  ] as const)('stays while GitHub says that its runner %s', async ([, how]) => {
    stand.github.runnerNamed = async (_tenant, name) => ({
      id: '1',
      place: 'organisation',
      name,
      labels: [],
      ...how,
    });
    stand.github.removeRunner = async () => expect.fail('its registration is removed');
    await stand.turn(worker, 15 * minute);
    expect(stand.pods.names()).toBe('a');
    expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: runner-busy');
  });
});
