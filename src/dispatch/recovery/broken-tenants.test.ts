/** However many things of one tenant cannot be repaired, those of the others are, within the limits of a turn. */
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

/** So many that some of them are due at every turn, two of which may be tried in one. */
const many = Array.from({ length: 40 }, (_, index) => `many-${index}`);

let harness: RecoveryHarness;
/** Ids of jobs of which GitHub tells us nothing. */
let secret: Set<string>;
/** About which jobs GitHub was asked. */
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
    throw new FleetError('rejected', { reason: 'Forbidden', message: 'that is not for you' });
  };
});

/** Of turns a minute apart; how many of them failed. */
async function rounds(worker: Worker, count: number): Promise<number> {
  let failures = 0;
  for (let index = 0; index < count; index += 1)
    await harness.round(worker).catch((error: unknown) => {
      if (!(error instanceof FleetError)) throw error;
      failures += 1;
    });
  return failures;
}

/** Its job is handed out, and GitHub tells nothing of it. */
async function servedInSecret(name: string, runner: 'comes' | 'stays away' = 'stays away'): Promise<string> {
  const id = await harness.queueJob();
  secret.add(id);
  // Registrations of one owner are spread over time.
  await harness.clock.pass(1000);
  const served = await harness.serve(name);
  if (runner === 'comes') await harness.runFor(served, minute);
  return id;
}

/** Those that come are given nothing for now, so that there is nothing to repair either. */
function idleRunners(): void {
  harness.site.habits = { ...harness.site.habits, placementMs: { least: 36_000_000, most: 36_000_000 } };
}

describe('Pods that carry a stamp', () => {
  const limits = { ...stampedPodLimits, max: 2 };
  const has = (name: string): boolean => harness.pods.all.has(podOf(name).uid);

  const ofPods = async (): Promise<readonly string[]> =>
    (await harness.outcomes()).filter((outcome) => outcome.startsWith('orphaned_stamped_pod'));

  /** Its job is over here, and GitHub does not say so. */
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

  it('one that leaks is removed, however many of a tenant that refuses us are older', async () => {
    for (const name of many) await hung(name);
    const worker = new OrphanedStampedPods(harness.ports, limits);
    expect(await rounds(worker, 60)).toBeGreaterThan(40);
    harness.pods.add(seenPod('leaked', { stampedAt: harness.clock.now() }));
    await rounds(worker, 6);
    expect([many.every(has), has('leaked')]).toEqual([true, false]);
  });

  it('those that fail are tried again later and later, and all of them', async () => {
    for (const name of ['a', 'b', 'c']) await hung(name);
    const worker = new OrphanedStampedPods(harness.ports, limits);
    await rounds(worker, 16);
    asked.length = 0;
    await rounds(worker, 120);
    expect(new Set(asked)).toEqual(secret);
    // Twice as long each time, and then each quarter of an hour.
    expect(asked.length / 3).toBeLessThan(13);
    expect(new Set(await ofPods())).toEqual(new Set(['orphaned_stamped_pod: failed']));
  });

  it('of a suspended App are left alone, without a question and without an act', async () => {
    await hung('a');
    await harness.install('suspended');
    const worker = new OrphanedStampedPods(harness.ports, limits);
    const failed = await rounds(worker, 30);
    expect([failed, asked, await ofPods()]).toEqual([0, [], []]);
  });
});

describe('jobs that were handed out', () => {
  const limits = { ...orphanLimits, max: 2 };

  it('one whose Pod is gone waits again, however many of a tenant that refuses us are older', async () => {
    for (const name of many) await servedInSecret(name);
    const worker = new OrphanedRunners(harness.ports, limits);
    expect(await rounds(worker, 60)).toBeGreaterThan(50);
    const id = await harness.queueJob();
    await harness.serve('z');
    harness.pods.all.delete(podOf('z').uid);
    await rounds(worker, 1);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('those that fail are asked about later and later, all of them, and no more in a turn than may be', async () => {
    for (const name of ['a', 'b', 'c']) await servedInSecret(name);
    const worker = new OrphanedRunners(harness.ports, limits);
    await harness.clock.pass(5 * minute);
    await rounds(worker, 1);
    expect(asked).toHaveLength(2);
    await rounds(worker, 120);
    expect(new Set(asked)).toEqual(secret);
    expect(asked.length / 3).toBeLessThan(15);
  });

  it('one that was answered for begins anew with its waits when it fails again', async () => {
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

  it('those with nothing to repair have their turn all of them, where they are too many for a round', async () => {
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

  it('that stay suspended are all looked at in turn, also after one that fails', async () => {
    await installAll('suspended');
    const looked: string[] = [];
    harness.github.installation = async (id) => {
      const account = { id: `of ${id}`, login: id };
      // That of the stand itself counts as active, and is looked at beside them.
      if (id === harness.tenant.installationId) return { id, account, state: 'active' };
      looked.push(id);
      if (id === 'i-000') throw new FleetError('unavailable', { reason: 'Timeout', message: 'no answer' });
      return { id, account, state: id === 'i-119' ? 'active' : 'suspended' };
    };
    const worker = new InstallationSync(harness.ports);
    // The third round begins anew where the second one left room.
    expect(await rounds(worker, 3)).toBe(2);
    expect([new Set(looked).size, looked.length]).toEqual([ids.length, 150]);
    expect((await harness.store.installation('i-119'))?.state).toBe('active');
    expect(new Set(harness.said)).toEqual(new Set(['failed to sync installation']));
  });

  it('whose queued jobs are looked for have their turn also where there are too many for a round', async () => {
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
