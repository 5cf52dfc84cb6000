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
    ['whose Pod is gone and that no row names is removed', {}, {}, true],
    ['of an online runner stays', { isOnline: true }, {}, false],
    ['of a busy runner stays', { isBusy: true }, {}, false],
    ['that its Pod received stays', {}, { pods: [seenPod(podName, { isServed: true })] }, false],
    ['whose Pod received none is removed', {}, { pods: [seenPod(podName)] }, true],
    [
      'whose Pod was stamped by an older tool stays: the Pod may have received it',
      {},
      { pods: [seenPod(podName, { hasOurStamp: false })] },
      false,
    ],
    [
      'whose Pod is free is removed',
      {},
      { pods: [seenPod(podName, { isStamped: false, hasOurStamp: false })] },
      true,
    ],
    [
      'whose Pod received another one is removed',
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
      'with the name of two Pods stays while the other may have it',
      {},
      { pods: [seenPod(podName)], claims: [{ ...claim, pod: { name: podName, uid: 'an older one' } }] },
      false,
    ],
    ['that a session names stays', {}, { sessions: [session] }, false],
    ['whose Pod has a claim stays: the registration is new', {}, { claims: [claim] }, false],
    ['stays while no Pod is listed at all', {}, { pods: [] }, false],
    ['of a pool that is not ours stays', {}, { pools: ['linu', 'linux-runner', 'x'] }, false],
    ['with a foreign name stays', { name: 'build-server' }, {}, false],
    ['with the name of a Pod alone stays', { name: podName }, {}, false],
    ['with another ending stays', { name: `${podName}-1234567x` }, {}, false],
    ['of a Pod with other letters stays', { name: 'linux-runner-manually-12345678' }, {}, false],
    ['of a pool of another name stays', { name: 'linuz-runner-0a1b2c3d-12345678' }, {}, false],
    ['with more in front stays', { name: `my-${name}` }, {}, false],
    ['of a Pod whose name has not our form stays', { name: 'linux-runner-manual-12345678' }, {}, false],
    [
      'of a pool with a very long name is removed',
      { name: runnerNameFor(`${longPool}-runner-0a1b2c3d`, '12345678-id') },
      { pools: [longPool] },
      true,
    ],
    [
      'of a pool with a very long name stays while a Pod may own it',
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

  it('removes registrations of a dead replica at the second look, and nothing else', async () => {
    await register(name);
    await register('foreign');
    await harness.round(worker);
    expect(names()).toBe(`${name} foreign`);
    await harness.round(worker, minute);
    expect(names()).toBe(`${name} foreign`);
    await harness.round(worker, minute);
    expect(names()).toBe('foreign');
    expect(harness.recovered).toEqual(['ghost_runner']);
    expect(await harness.outcomes()).toEqual(['ghost_runner: removed']);
  });

  it('removes the registration of an undone dispatch whose Pod polls again, and none in use', async () => {
    await register(name);
    harness.pods.add(seenPod(podName, { isStamped: false }));
    const { runnerName } = await harness.serve('linux-runner-00000001');
    await register('linux-runner-00000001-ffffffff');
    await harness.round(worker, 2 * minute);
    await harness.round(worker, 2 * minute);
    expect(names()).toBe(runnerName);
  });

  it('lists the runners of an organisation once, however many of its repositories have jobs', async () => {
    await harness.store.apply({
      kind: 'enqueue',
      job: { ...harness.draftOf('4711'), repository: 'octo-org/another' },
    });
    await register(name);
    await harness.round(worker);
    expect(harness.asked.filter((route) => route.endsWith('/actions/runners'))).toHaveLength(1);
  });

  it('records a removal whose answer was lost', async () => {
    await register(name);
    await harness.round(worker);
    harness.loseRemovals();
    await expect(harness.round(worker, 10 * minute)).rejects.toThrow('the answer was lost');
    expect([names(), await harness.outcomes()]).toEqual(['', ['ghost_runner: unknown']]);
  });

  it('keeps a registration that GitHub refuses to remove, since its runner just became busy', async () => {
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
        { installationId: '1', repository: 'person/one' },
        { installationId: '1', repository: 'person/two' },
      ],
    ],
  ])('treats runners of %s with the same id as different', async ([, place, tenants]) => {
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

  it('starts over with a runner that was online in between', async () => {
    const { runnerId } = await register(name);
    const runner = harness.site.hall.all.find(({ id }) => id === runnerId);
    if (runner === undefined) throw new Error('the runner was not registered');
    await harness.round(worker);
    runner.state = 'online';
    await harness.round(worker, minute);
    runner.state = 'registered';
    await harness.round(worker, minute);
    expect(names()).toBe(name);
  });
});
