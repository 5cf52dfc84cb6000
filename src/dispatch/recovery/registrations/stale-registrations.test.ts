import { beforeEach, describe, expect, it } from 'vitest';
import {
  claimOn,
  minute,
  RecoveryHarness,
  seenPod,
  sessionOn,
} from '../../../../lab/harness/recovery-harness.ts';
import type { RunnerAtGitHub, RunnerPlace, Tenant } from '../../github/port.ts';
import { runnerNameFor } from '../../assign/registration.ts';
import { decideGhosts, StaleRegistrations, type GhostLook } from './stale-registrations.ts';

const podName = 'linux-runner-0a1b2c3d';
const name = runnerNameFor(podName, '12345678-id');
const session = sessionOn(podName, { runnerName: name });
const claim = claimOn(podName, { state: 'claimed', runnerName: undefined });
const longPool = 'a-pool-with-a-name-that-is-much-too-long-for-the-name-of-a-runner';

describe('a registration', () => {
  it.for<readonly [string, Partial<RunnerAtGitHub>, Partial<GhostLook>, boolean]>([
    ['whose Pod is gone and that nobody names goes', {}, {}, true],
    ['of a runner on the line stays', { isOnline: true }, {}, false],
    ['of a runner at work stays', { isBusy: true }, {}, false],
    ['that its Pod was handed stays', {}, { pods: [seenPod(podName, { isServed: true })] }, false],
    ['whose Pod was handed none goes', {}, { pods: [seenPod(podName)] }, true],
    [
      'whose Pod an older tool has stamped stays: it may have been handed it',
      {},
      { pods: [seenPod(podName, { hasOurStamp: false })] },
      false,
    ],
    [
      'whose Pod is free goes',
      {},
      { pods: [seenPod(podName, { isStamped: false, hasOurStamp: false })] },
      true,
    ],
    [
      'whose Pod was handed another one goes',
      {},
      {
        pods: [seenPod(podName, { isServed: true })],
        sessions: [sessionOn(podName, { runnerName: `${podName}-ffffffff` })],
      },
      true,
    ],
    [
      'that a session of its Pod names stays',
      {},
      { pods: [seenPod(podName, { isServed: true })], sessions: [session] },
      false,
    ],
    [
      'of one of two Pods of that name stays while the other may have it',
      {},
      { pods: [seenPod(podName)], claims: [{ ...claim, pod: { name: podName, uid: 'an older one' } }] },
      false,
    ],
    ['that a session names stays', {}, { sessions: [session] }, false],
    ['whose Pod has a claim stays: it was just made', {}, { claims: [claim] }, false],
    ['stays while no Pod is listed at all', {}, { pods: [] }, false],
    ['of a pool that is none of ours stays', {}, { pools: ['linu', 'linux-runner', 'x'] }, false],
    ['that somebody else named stays', { name: 'build-server' }, {}, false],
    ['with the name of a Pod alone stays', { name: podName }, {}, false],
    ['with another ending stays', { name: `${podName}-1234567x` }, {}, false],
    ['of a Pod with other letters stays', { name: 'linux-runner-manually-12345678' }, {}, false],
    ['of a pool of another name stays', { name: 'linuz-runner-0a1b2c3d-12345678' }, {}, false],
    ['with more in front stays', { name: `my-${name}` }, {}, false],
    ['of a Pod whose name is not as we make them stays', { name: 'linux-runner-manual-12345678' }, {}, false],
    [
      'of a pool with a very long name goes',
      { name: runnerNameFor(`${longPool}-runner-0a1b2c3d`, '12345678-id') },
      { pools: [longPool] },
      true,
    ],
    [
      'of a pool with a very long name stays while a Pod is there that it may be of',
      { name: runnerNameFor(`${longPool}-runner-0a1b2c3d`, '12345678-id') },
      { pools: [longPool], pods: [seenPod(`${longPool}-runner-ffffffff`)] },
      false,
    ],
  ])('%s', ([, of, other, isGhost]) => {
    const seen = {
      id: '1',
      place: 'organisation',
      name,
      isOnline: false,
      isBusy: false,
      labels: [],
    } as const;
    const runner = { ...seen, ...of };
    const look = { pools: ['linux'], pods: [seenPod('z')], claims: [], sessions: [], ...other };
    expect(decideGhosts({ ...look, runners: [runner] })).toHaveLength(isGhost ? 1 : 0);
  });
});

describe('the worker', () => {
  let harness: RecoveryHarness;
  let worker: StaleRegistrations;
  beforeEach(async () => {
    harness = new RecoveryHarness();
    worker = new StaleRegistrations(harness.ports, () => ['linux']);
    await harness.install();
    await harness.queueJob();
    harness.pods.add(seenPod('z'));
  });
  const register = async (called: string) =>
    harness.github.register({ ...harness.tenant, name: called, labels: ['x'], workFolder: '/' });
  const names = (): string => harness.site.hall.all.map((runner) => runner.name).join(' ');

  it('removes what a replica registered before it died, at the second look, and nothing else', async () => {
    await register(name);
    await register('somebody-elses');
    await harness.round(worker);
    expect(names()).toBe(`${name} somebody-elses`);
    await harness.round(worker, minute);
    expect(names()).toBe(`${name} somebody-elses`);
    await harness.round(worker, minute);
    expect(names()).toBe('somebody-elses');
    expect(harness.recovered).toEqual(['ghost_runner']);
    expect(await harness.outcomes()).toEqual(['ghost_runner: removed']);
  });

  it('removes what a dispatch registered that was undone, while its Pod polls on, and nothing that is held', async () => {
    await register(name);
    harness.pods.add(seenPod(podName, { isStamped: false }));
    const { runnerName } = await harness.serve('linux-runner-00000001');
    await register('linux-runner-00000001-ffffffff');
    await harness.round(worker, 2 * minute);
    await harness.round(worker, 2 * minute);
    expect(names()).toBe(runnerName);
  });

  it('asks an organisation once for its runners, however many of its repositories have jobs', async () => {
    await harness.store.apply({
      kind: 'enqueue',
      job: { ...harness.draftOf('4711'), repository: 'octo-org/another' },
    });
    await register(name);
    await harness.round(worker);
    expect(harness.asked.filter((route) => route.endsWith('/actions/runners'))).toHaveLength(1);
  });

  it('writes down also a removal of which it is not known whether it happened', async () => {
    await register(name);
    await harness.round(worker);
    harness.loseRemovals();
    await expect(harness.round(worker, 10 * minute)).rejects.toThrow('the answer was lost');
    expect([names(), await harness.outcomes()]).toEqual(['', ['ghost_runner: unknown']]);
  });

  it('keeps one that GitHub refuses to remove, since it has just begun to work', async () => {
    await register(name);
    await harness.round(worker);
    const removeRunner = harness.github.removeRunner.bind(harness.github);
    harness.github.removeRunner = async (...given) => {
      for (const runner of harness.site.hall.all) runner.state = 'busy';
      return removeRunner(...given);
    };
    await harness.round(worker, 10 * minute);
    expect(names()).toBe(name);
    expect(await harness.outcomes()).toEqual(['ghost_runner: busy']);
  });

  it.for<readonly [string, RunnerPlace, readonly [Tenant, Tenant]]>([
    [
      'two organisations',
      'organisation',
      [
        { installationId: '1', repository: 'octo-org/app' },
        { installationId: '2', repository: 'next-door/web' },
      ],
    ],
    [
      'two repositories of a person',
      'repository',
      [
        { installationId: '1', repository: 'somebody/one' },
        { installationId: '1', repository: 'somebody/two' },
      ],
    ],
  ])('takes runners of %s with the same id for two', async ([, place, tenants]) => {
    harness.store.jobSources = async () => tenants;
    const seen = { id: '7', place, name, isOnline: false, isBusy: false, labels: [] };
    const shown = new Set([tenants[0].repository]);
    harness.github.runners = async ({ repository }) => (shown.has(repository) ? [seen] : []);
    const removed: string[] = [];
    harness.github.removeRunner = async ({ repository }, runner) => {
      removed.push(`${runner.id} of ${repository}`);
      shown.delete(repository);
    };
    await harness.round(worker);
    shown.add(tenants[1].repository);
    await harness.round(worker, 10 * minute);
    expect(removed).toEqual([`7 of ${tenants[0].repository}`]);
    await harness.round(worker, 10 * minute);
    expect(removed).toEqual(tenants.map(({ repository }) => `7 of ${repository}`));
  });

  it('begins anew with one that was on the line in between', async () => {
    const { runnerId } = await register(name);
    const runner = harness.site.hall.all.find(({ id }) => id === runnerId);
    if (runner === undefined) throw new Error('it was not registered');
    await harness.round(worker);
    runner.state = 'online';
    await harness.round(worker, minute);
    runner.state = 'registered';
    await harness.round(worker, minute);
    expect(names()).toBe(name);
  });
});
