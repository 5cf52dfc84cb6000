/** Failures of one tenant do not keep the recovery from repairing the others, within the limits of a run. */
import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryHarness, seenPod } from '../../../lab/harness/recovery-harness.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { noon, podOf } from '../../../lab/contracts/store/harness.ts';
import { InstallationSync } from './webhooks/installation-sync.ts';
import { OrphanedRunners, orphanLimits } from './jobs/orphaned-runners.ts';
import { OrphanedStampedPods } from './pods/orphaned-stamped-pods.ts';
import { QueuedJobsPoll, queuedPollLimits } from './jobs/queued-jobs-poll.ts';
import { stampedPodLimits } from './pods/stamped-pods.ts';
import type { Worker } from './scheduler/worker.ts';

/** Enough that some are due in every run; two may be tried in one run. */
const many = Array.from({ length: 40 }, (_, index) => `many-${index}`);

let harness: RecoveryHarness;
/** Ids of jobs for which GitHub answers no request. */
let secret: Set<string>;
/** The jobs that GitHub was queried for. */
let asked: string[];
beforeEach(async () => {
  harness = new RecoveryHarness();
  await harness.install();
  await harness.store.setLimit({
    accountId: harness.accountId,
    platform: 'linux',
    vcpus: 1000,
    memoryGb: 1000,
  });
  secret = new Set();
  asked = [];
  const job = harness.github.job.bind(harness.github);
  harness.github.job = async (tenant, id) => {
    asked.push(id);
    if (!secret.has(id)) return job(tenant, id);
    throw new FleetError('rejected', { reason: 'Forbidden', message: 'no access' });
  };
});

/** Runs a minute apart; returns how many failed. */
async function rounds(worker: Worker, count: number): Promise<number> {
  let failures = 0;
  for (let index = 0; index < count; index += 1)
    await harness.round(worker).catch((error: unknown) => {
      if (!(error instanceof FleetError)) throw error;
      failures += 1;
    });
  return failures;
}

/** A handed-out job for which GitHub answers no request. */
async function servedInSecret(name: string, runner: 'comes' | 'stays away' = 'stays away'): Promise<string> {
  const id = await harness.queueJob();
  secret.add(id);
  // Registrations of one owner are spread over time.
  await harness.clock.pass(1000);
  const served = await harness.serve(name);
  if (runner === 'comes') await harness.runFor(served, minute);
  return id;
}

/** Polling Pods get no job for now, so there is nothing to repair either. */
function idleRunners(): void {
  harness.site.timing = { ...harness.site.timing, placementMs: { least: 36_000_000, most: 36_000_000 } };
}

describe('Pods that carry a stamp', () => {
  const limits = { ...stampedPodLimits, max: 2 };
  const has = (name: string): boolean => harness.pods.all.has(podOf(name).uid);

  const ofPods = async (): Promise<readonly string[]> =>
    (await harness.outcomes()).filter((outcome) => outcome.startsWith('orphaned_stamped_pod'));

  /** A job that is completed in the store and not at GitHub. */
  async function hung(name: string): Promise<void> {
    const job = await harness.job(await servedInSecret(name));
    const end = { runnerName: undefined, startedAt: noon, conclusion: 'success', at: harness.clock.now() };
    await harness.store.apply({ kind: 'complete', job, end });
    await harness.store.settle(job.generation ?? '', {
      id: harness.newId(),
      at: noon,
      kind: 'test',
      jobId: job.id,
      pod: undefined,
      generation: undefined,
      evidence: {},
    });
  }

  it('an orphaned Pod is removed even if many Pods of a refusing tenant are older', async () => {
    for (const name of many) await hung(name);
    const worker = new OrphanedStampedPods(harness.ports, limits);
    expect(await rounds(worker, 60)).toBeGreaterThan(40);
    harness.pods.add(seenPod('leaked', { stampedAt: harness.clock.now() }));
    await rounds(worker, 6);
    expect([many.every(has), has('leaked')]).toEqual([true, false]);
  });

  it('all failed Pods are retried with growing delays', async () => {
    for (const name of ['a', 'b', 'c']) await hung(name);
    const worker = new OrphanedStampedPods(harness.ports, limits);
    await rounds(worker, 16);
    asked.length = 0;
    await rounds(worker, 120);
    expect(new Set(asked)).toEqual(secret);
    // The delay doubles up to a quarter of an hour.
    expect(asked.length / 3).toBeLessThan(13);
    expect(new Set(await ofPods())).toEqual(new Set(['orphaned_stamped_pod: failed']));
  });

  it('Pods of a suspended App are left alone, without a query and without an audit record', async () => {
    await hung('a');
    await harness.install('suspended');
    const worker = new OrphanedStampedPods(harness.ports, limits);
    const failed = await rounds(worker, 30);
    expect([failed, asked, await ofPods()]).toEqual([0, [], []]);
  });
});

describe('jobs that were handed out', () => {
  const limits = { ...orphanLimits, max: 2 };

  it('a job whose Pod is gone is requeued even if many jobs of a refusing tenant are older', async () => {
    for (const name of many) await servedInSecret(name);
    const worker = new OrphanedRunners(harness.ports, limits);
    expect(await rounds(worker, 60)).toBeGreaterThan(50);
    const id = await harness.queueJob();
    await harness.serve('z');
    harness.pods.all.delete(podOf('z').uid);
    await rounds(worker, 1);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('all failed jobs are retried with growing delays, within the limit of a run', async () => {
    for (const name of ['a', 'b', 'c']) await servedInSecret(name);
    const worker = new OrphanedRunners(harness.ports, limits);
    await harness.clock.pass(5 * minute);
    await rounds(worker, 1);
    expect(asked).toHaveLength(2);
    await rounds(worker, 120);
    expect(new Set(asked)).toEqual(secret);
    expect(asked.length / 3).toBeLessThan(15);
  });

  it('an answered query resets the backoff of the job', async () => {
    idleRunners();
    const id = await servedInSecret('a', 'comes');
    const worker = new OrphanedRunners(harness.ports, limits);
    await rounds(worker, 60);
    secret.clear();
    asked.length = 0;
    while (asked.length === 0) await rounds(worker, 1);
    secret.add(id);
    await rounds(worker, 4);
    expect(asked).toHaveLength(1);
    await rounds(worker, 2);
    expect(asked).toHaveLength(3);
  });

  it('all healthy jobs are queried in time, even if too many for one run', async () => {
    idleRunners();
    const ids: string[] = [];
    for (const name of many.slice(0, 12)) ids.push(await servedInSecret(name, 'comes'));
    secret.clear();
    const worker = new OrphanedRunners(harness.ports, { ...orphanLimits, max: 1 });
    await rounds(worker, 6 + ids.length);
    expect(new Set(asked)).toEqual(new Set(ids));
  });
});

describe('installations', () => {
  const ids = Array.from({ length: 120 }, (_, index) => `i-${String(index).padStart(3, '0')}`);

  async function installAll(state: 'active' | 'suspended'): Promise<void> {
    for (const id of ids) {
      const account = { id: `of ${id}`, login: id };
      const installation = { id, accountId: account.id, state };
      await harness.store.apply({ kind: 'install', account, installation });
    }
  }

  it('all suspended installations are queried in round robin, also after a failure', async () => {
    await installAll('suspended');
    const looked: string[] = [];
    harness.github.installation = async (id) => {
      const account = { id: `of ${id}`, login: id };
      // The installation of the harness itself is active, and is queried beside them.
      if (id === harness.tenant.installationId) return { id, account, state: 'active' };
      looked.push(id);
      if (id === 'i-000') throw new FleetError('unavailable', { reason: 'Timeout', message: 'no answer' });
      return { id, account, state: id === 'i-119' ? 'active' : 'suspended' };
    };
    const worker = new InstallationSync(harness.ports);
    // The third run starts over where the second had capacity left.
    expect(await rounds(worker, 3)).toBe(2);
    expect([new Set(looked).size, looked.length]).toEqual([ids.length, 150]);
    expect((await harness.store.installation('i-119'))?.state).toBe('active');
    expect(new Set(harness.said)).toEqual(new Set(['failed to sync installation']));
  });

  it('all installations are polled for queued jobs, even if too many for one run', async () => {
    await installAll('active');
    const looked: string[] = [];
    harness.github.queuedJobs = async (id) => {
      looked.push(id);
      return { jobs: [], after: undefined };
    };
    const limits = { ...queuedPollLimits, jobAgeMs: 0, installationsMax: 4 };
    const worker = new QueuedJobsPoll(harness.ports, { pools: () => [], holder: 'one', limits });
    await rounds(worker, 31);
    expect(new Set(looked).size).toBe(ids.length + 1);
  });
});
