/**
 * Runner Pods do jobs (fifty and five hundred in the full size) while managers and dispatchers are killed outright, on a real kube-apiserver that
 * reviews the tokens. Whatever was cut off in the middle: each job is done once, and nothing is left over.
 */
import { expect, it } from 'vitest';
import { labels } from '../../../src/api/names/labels.ts';
import { runnerPools } from '../../../src/runner-pools/state/runner-pool-objects.ts';
import { pods, serviceAccounts } from '../../../src/kube/client/builtin-resources.ts';
import type { Repository } from '../../../lab/clouds/github/records.ts';
import type { KeptProcess } from '../../reference/kept-process.ts';
import { describeIntegration, type Harness } from '../../reference/describe-integration.ts';
import { bySize } from '../../../lab/harness/test-size.ts';
import { anyRandom as random, wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { asAdministrator, namespace, openBusyHarness, type BusyHarness } from './busy-harness.ts';
import { install, linuxNode, makePool, orderJob, patience, unfinished, untilAllAreUp } from './workload.ts';

const nodeCount = 5;
const podCount = bySize({ small: 12, full: 50 });
/**
 * The minimum; more jobs are queued until enough processes were killed, so that a fast machine kills as many as a slow
 * one.
 */
const jobsMin = bySize({ small: 60, full: 500 });
const victimsMin = 3;
/** The limit of unfinished jobs: enough for all Pods, and for some to wait. */
const unfinishedMax = 2 * podCount;
const accounts = ['ants', 'bees', 'crows', 'deer', 'elks'];
const killMs = { least: 2000, most: 8000 };
const poolName = 'linux';

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** Alternates between the accounts, and never queues more than the Pods could do soon. */
async function orderJobs(
  fixture: BusyHarness,
  repositories: readonly Repository[],
  killed: ReadonlySet<string>,
): Promise<void> {
  for (let ordered = 0; ordered < jobsMin || killed.size < victimsMin; ordered += 1) {
    const repository = repositories[ordered % repositories.length];
    if (repository === undefined) throw new Error('there is no repository');
    orderJob(fixture, repository);
    while (unfinished(fixture) >= unfinishedMax) await pause(100);
  }
}

/** Kills processes at random, each once before any again, until the promise settles; records the kills. */
async function killAtRandom(
  { processes }: BusyHarness,
  killed: Set<string>,
  over: Promise<void>,
): Promise<void> {
  let left: KeptProcess[] = [];
  let isOver = false;
  void over.finally(() => (isOver = true));
  for (;;) {
    await Promise.race([over, pause(killMs.least + random.next() * (killMs.most - killMs.least))]);
    if (isOver) return;
    if (left.length === 0) left = [...processes];
    const [victim] = left.splice(Math.floor(random.next() * left.length), 1);
    if (victim?.kill() === true) killed.add(victim.name);
  }
}

const ofRunners = { namespace, labelSelector: `${labels.runnerPool.key}=${poolName}` };

/** What is left once no Pod is wanted any more. */
async function leftovers({ client, store, site }: BusyHarness): Promise<object> {
  const named = (all: { items: readonly { metadata: { name: string } }[] }): readonly string[] =>
    all.items.map(({ metadata }) => metadata.name);
  return {
    pods: named(await client.listPage(pods, ofRunners)),
    accounts: named(await client.listPage(serviceAccounts, ofRunners)),
    claims: (await store.claims()).map(({ pod }) => pod.name),
    sessions: (await store.openSessions()).map(({ pod }) => pod.name),
    unfinished: (await store.jobs({ states: ['queued', 'claimed', 'running'], limit: 1000 })).map(
      ({ id }) => id,
    ),
    atWork: site.hall.all.filter(({ state }) => state === 'busy' || state === 'lost').map(({ name }) => name),
  };
}

const setUp = (harness: Harness): Promise<BusyHarness> =>
  openBusyHarness(harness, { replicas: 2, install: asAdministrator });

await describeIntegration({ name: 'jobs while their processes are killed', by: 'kube', setUp }, (given) => {
  it('each is done once, and no Pod, account, claim or session is left', { timeout: 1_200_000 }, async () => {
    const fixture = given();
    const { site, client, store } = fixture;
    try {
      await untilAllAreUp(fixture);
      for (let node = 0; node < nodeCount; node += 1) fixture.addNode(linuxNode(`linux-${node}`));
      const provisioning = { maxConcurrentPerFleetSelector: podCount };
      await makePool(fixture, poolName, { replicas: podCount, provisioning });
      const repositories = await install(fixture, accounts);
      const killed = new Set<string>();
      const ordered = orderJobs(fixture, repositories, killed);
      await killAtRandom(fixture, killed, ordered);
      await ordered;
      await expect.poll(() => unfinished(fixture), patience).toBe(0);
      await client.patch(runnerPools, { namespace, name: poolName }, { merge: { spec: { replicas: 0 } } });
      const none = { pods: [], accounts: [], claims: [], sessions: [], unfinished: [], atWork: [] };
      await expect.poll(() => leftovers(fixture), patience).toEqual(none);

      const { jobs } = site.board;
      expect(jobs.length).toBeGreaterThanOrEqual(jobsMin);
      expect(new Set(jobs.map(({ conclusion }) => conclusion))).toEqual(new Set(['success']));
      expect(new Set(jobs.map(({ runner }) => runner?.name)).size).toBe(jobs.length);
      const stored = await store.jobs({ states: ['completed'], limit: 10_000 });
      expect(stored.map(({ id }) => id).toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
      expect(new Set(stored.map(({ conclusion }) => conclusion))).toEqual(new Set(['success']));
    } finally {
      await fixture.close();
    }
  });
});
