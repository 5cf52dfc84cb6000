import { beforeEach, describe, expect, it } from 'vitest';
import { minute, RecoveryHarness } from '../../../../lab/harness/recovery-harness.ts';
import type { QueuedJob, QueuedLook } from '../../github/port.ts';
import { linux, noon } from '../../../../lab/contracts/store/harness.ts';
import type { Installation } from '../../store/rows.ts';
import { decideFound, QueuedJobsPoll, queuedPollLimits } from './queued-jobs-poll.ts';

const installation: Installation = { id: '5', accountId: '7', state: 'active' };
const pools = [
  { name: 'linux', dispatchLabel: 'tuist-linux', runnerLabels: ['self-hosted'], shape: linux },
  { name: 'twin', dispatchLabel: 'tuist-twin', runnerLabels: ['self-hosted'], shape: linux },
];

function waiting(other: Partial<QueuedJob> = {}): QueuedJob {
  return {
    id: '9007199254740993',
    repository: 'org/repo',
    runId: '1',
    runAttempt: 2,
    name: 'test',
    workflow: 'CI',
    branch: 'main',
    commit: 'c0ffee',
    labels: ['self-hosted', 'Tuist-Linux'],
    createdAt: noon - 2 * minute - 1,
    ...other,
  };
}

describe('a job that waits at GitHub', () => {
  it.for<readonly [string, Partial<QueuedJob>, Partial<Installation>, number]>([
    ['is queued', {}, {}, 1],
    ['is left to its webhook while it is young', { createdAt: noon - 2 * minute }, {}, 0],
    ['is ignored without a label of a pool', { labels: ['ubuntu-latest'] }, {}, 0],
    ['is of no pool when two want it', { labels: ['tuist-linux', 'tuist-twin'] }, {}, 0],
    ['is ignored where the App is suspended', {}, { state: 'suspended' }, 0],
  ])('%s', ([, other, of, count]) => {
    const found = { at: noon, pools, jobAgeMs: 2 * minute, jobs: [waiting(other)] };
    expect(decideFound({ ...found, installation: { ...installation, ...of } })).toHaveLength(count);
  });

  it('is the same job as from its webhook', () => {
    const found = { at: noon, pools, jobAgeMs: 0, jobs: [waiting()], installation };
    expect(decideFound(found)).toMatchObject([
      {
        kind: 'enqueue',
        job: {
          id: '9007199254740993',
          accountId: '7',
          installationId: '5',
          pool: 'linux',
          label: 'tuist-linux',
          runAttempt: 2,
          queuedAt: noon - 2 * minute - 1,
        },
      },
    ]);
  });
});

describe('the worker', () => {
  let harness: RecoveryHarness;
  let worker: QueuedJobsPoll;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    worker = new QueuedJobsPoll(harness.ports, { pools: () => pools, holder: 'one' });
    await harness.install();
  });
  const looks = (): number =>
    harness.asked.filter((route) => route === 'GET /installation/repositories').length;

  it('finds a job whose webhook was lost, and the job can be claimed', async () => {
    const id = await harness.queueJob({ isKnown: false });
    const known = await harness.queueJob();
    await harness.round(worker, 3 * minute);
    expect(await harness.job(id)).toMatchObject({ state: 'queued', pool: 'linux' });
    expect((await harness.job(known)).state).toBe('queued');
    expect(harness.recovered).toEqual(['queued_found']);
    expect((await harness.claim('a')).jobId).toBe(id);
  });

  it('finds a job by the profile of its account', async () => {
    await harness.store.putProfile({ ...linux, accountId: harness.accountId, name: 'linux' });
    const profiles = {
      labelPrefix: 'tuist-',
      poolPrefixes: { linux: 'shape', macos: 'mac' },
      linuxSizes: [],
    };
    const shape = {
      name: `shape-${linux.vcpus}vcpu-${linux.memoryGb}gb`,
      dispatchLabel: 'shape',
      runnerLabels: ['self-hosted'],
      shape: linux,
    };
    const parts = { pools: () => [...pools, shape], profiles, holder: 'one' };
    const id = await harness.queueJob({ isKnown: false });
    await harness.round(new QueuedJobsPoll(harness.ports, parts), 3 * minute);
    expect(await harness.job(id)).toMatchObject({ pool: shape.name, label: 'tuist-linux' });
  });

  it('does not requeue a job that is completed in the store', async () => {
    const id = await harness.queueJob();
    const end = { runnerName: undefined, startedAt: undefined, conclusion: 'cancelled', at: noon };
    await harness.store.apply({ kind: 'complete', job: harness.draftOf(id), end });
    await harness.round(worker, 3 * minute);
    expect((await harness.job(id)).state).toBe('completed');
  });

  it('polls an installation every quarter of an hour, however many replicas there are', async () => {
    const other = new QueuedJobsPoll(harness.ports, { pools: () => pools, holder: 'two' });
    await harness.round(worker);
    await harness.round(other);
    await harness.round(worker, 13 * minute);
    expect(looks()).toBe(1);
    await harness.round(other);
    expect(looks()).toBe(2);
  });

  it('polls nothing while the App is not active or the pools are not known', async () => {
    await harness.store.apply({
      kind: 'install',
      account: { id: harness.accountId, login: 'octo-org' },
      installation: { id: harness.tenant.installationId, accountId: harness.accountId, state: 'suspended' },
    });
    await harness.round(worker);
    await harness.install();
    await harness.round(new QueuedJobsPoll(harness.ports, { pools: () => undefined, holder: 'one' }));
    expect(looks()).toBe(0);
  });

  it('stops polling an installation whose rate limit is used up, until its next period', async () => {
    const id = await harness.queueJob({ isKnown: false });
    harness.site.throttle.begin(10 * minute, 'primary');
    await harness.round(worker, 3 * minute);
    const { length } = harness.asked;
    await harness.round(worker, 14 * minute);
    expect(harness.asked).toHaveLength(length);
    expect(await harness.store.job(id)).toBeUndefined();
    await harness.round(worker);
    expect((await harness.job(id)).state).toBe('queued');
  });

  it('continues where the last poll ended, and names the repositories that sent jobs lately', async () => {
    await harness.queueJob();
    const looked: QueuedLook[] = [];
    harness.github.queuedJobs = async (_id, look) => {
      looked.push(look);
      return { jobs: [], after: `octo-org/${looked.length}` };
    };
    await harness.round(worker, 15 * minute);
    await harness.round(worker, 15 * minute);
    const { repositoriesMax: max } = queuedPollLimits;
    expect(looked).toMatchObject([
      { max, after: undefined },
      { max, after: 'octo-org/1' },
    ]);
    expect(await looked[1]?.busy()).toEqual([harness.tenant.repository]);
    await harness.round(worker, queuedPollLimits.busyMs);
    expect(await looked[2]?.busy()).toEqual([]);
  });

  it('polls the other installations when one does not answer', async () => {
    const neighbour = harness.site.directory.account('next-door');
    const theirs = neighbour && harness.site.directory.listenerOf(neighbour);
    if (theirs === undefined) throw new Error('there is no neighbour');
    await harness.store.apply({
      kind: 'install',
      account: { id: theirs.account.id, login: 'next-door' },
      installation: { id: theirs.id, accountId: theirs.account.id, state: 'active' },
    });
    harness.site.setInstallation(theirs, 'suspended');
    const id = await harness.queueJob({ isKnown: false });
    await harness.round(worker, 3 * minute);
    expect((await harness.job(id)).state).toBe('queued');
    expect(harness.said).toEqual(['failed to poll queued jobs of installation']);
  });
});
