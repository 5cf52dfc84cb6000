/**
 * Fifty runner Pods do five hundred jobs while managers and dispatchers are killed outright, on a real kube-apiserver that
 * reviews the tokens. Whatever was cut off in the middle: each job is done once, and nothing is left over.
 */
import { expect, it } from 'vitest';
import { labels } from '../../src/api/labels.ts';
import { runnerPools } from '../../src/fleet/runner-pools.ts';
import { pods, serviceAccounts } from '../../src/runtime/kube/builtin-resources.ts';
import type { Repository } from '../../src/sim/github/records.ts';
import { describeJudged } from '../real/judged.ts';
import { anyRandom as random, wallClock as clock } from '../wall-clock.ts';
import { namespace, openBusyStage, type BusyStage } from './busy-stage.ts';

const podCount = 50;
const jobCount = 500;
/** Not finished at the same time: enough for all Pods, and for some to wait. */
const unfinishedMax = 100;
const accounts = ['ants', 'bees', 'crows', 'deer', 'elks'];
const killMs = { least: 2000, most: 8000 };
const patience = { timeout: 900_000, interval: 500 };
const poolName = 'linux';

async function makePool({ client }: BusyStage): Promise<void> {
  const spec = {
    replicas: podCount,
    image: 'example.com/runner@sha256:1',
    os: 'linux',
    fleetSelector: 'runners-linux',
    dispatchLabel: 'tuist-linux',
    runnerLabels: ['self-hosted', 'Linux', 'X64'],
    podCPUMilli: 1000,
    podMemoryMB: 1024,
    provisioning: { maxConcurrentPerFleetSelector: podCount },
  };
  const pool = { apiVersion: 'tuist.dev/v1alpha1', kind: 'RunnerPool', metadata: { name: poolName }, spec };
  await client.create(runnerPools, { namespace }, pool);
}

async function install({ site, store }: BusyStage): Promise<readonly Repository[]> {
  const repositories = accounts.map((login) => {
    const account = site.directory.openAccount(login, 'Organization');
    const repository = site.directory.openRepository(account, 'app');
    site.install(account);
    return repository;
  });
  // A job of an account that is not known yet is refused.
  await expect.poll(async () => (await store.accounts()).length, patience).toBe(accounts.length);
  return repositories;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

function unfinished({ site }: BusyStage): number {
  return site.board.jobs.filter(({ status }) => status !== 'completed').length;
}

/** Of all accounts in turn, and never more at once than the Pods could do soon. */
async function orderJobs(stage: BusyStage, repositories: readonly Repository[]): Promise<void> {
  for (let ordered = 0; ordered < jobCount; ordered += 1) {
    const repository = repositories[ordered % repositories.length];
    if (repository === undefined) throw new Error('there is no repository');
    stage.site.board.order({ repository, labels: ['self-hosted', 'tuist-linux'] });
    while (unfinished(stage) >= unfinishedMax) await pause(100);
  }
}

/** Kills any of them at any time, until the other thing is over; tells whom. */
async function killAtRandom({ processes }: BusyStage, over: Promise<void>): Promise<readonly string[]> {
  const killed: string[] = [];
  let isOver = false;
  void over.finally(() => (isOver = true));
  for (;;) {
    await Promise.race([over, pause(killMs.least + random.next() * (killMs.most - killMs.least))]);
    if (isOver) return killed;
    const victim = processes[Math.floor(random.next() * processes.length)];
    if (victim?.kill() === true) killed.push(victim.name);
  }
}

const ofRunners = { namespace, labelSelector: `${labels.runnerPool.key}=${poolName}` };

/** What is left once no Pod is wanted any more. */
async function leftovers({ client, store, site }: BusyStage): Promise<object> {
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

await describeJudged(
  { name: 'jobs while whoever serves them is killed', by: 'kube', setUp: openBusyStage },
  (given) => {
    it(
      'each is done once, and no Pod, account, claim or session is left',
      { timeout: 1_200_000 },
      async () => {
        const stage = given();
        const { site, client, store } = stage;
        try {
          // Before that nobody would hear of the accounts.
          await expect.poll(() => stage.processes.every(({ isUp }) => isUp), patience).toBe(true);
          stage.nodes(5);
          await makePool(stage);
          const repositories = await install(stage);
          const ordered = orderJobs(stage, repositories);
          const killed = await killAtRandom(stage, ordered);
          await ordered;
          await expect.poll(() => unfinished(stage), patience).toBe(0);
          expect(new Set(killed).size).toBeGreaterThan(2);
          await client.patch(
            runnerPools,
            { namespace, name: poolName },
            { merge: { spec: { replicas: 0 } } },
          );
          const none = { pods: [], accounts: [], claims: [], sessions: [], unfinished: [], atWork: [] };
          await expect.poll(() => leftovers(stage), patience).toEqual(none);

          const { jobs } = site.board;
          expect(jobs.map(({ conclusion }) => conclusion)).toEqual(
            Array.from({ length: jobCount }, () => 'success'),
          );
          expect(new Set(jobs.map(({ runner }) => runner?.name)).size).toBe(jobCount);
          const stored = await store.jobs({ states: ['completed'], limit: 1000 });
          expect(stored.map(({ id }) => id).toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
          expect(new Set(stored.map(({ conclusion }) => conclusion))).toEqual(new Set(['success']));
        } finally {
          await stage.close();
        }
      },
    );
  },
);
