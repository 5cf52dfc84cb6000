/**
 * Random commands for a store, drawn from few accounts, pools, Pods and runners, so that commands conflict. Ids that a
 * store must never see twice are counted up; other ids may repeat, as deliveries do.
 */
import * as fc from 'fast-check';
import type { Effect, JobEnd, JobStore } from '../../../src/dispatch/store/port.ts';
import type { Installation, JobDraft, Platform } from '../../../src/dispatch/store/rows.ts';
import { account, accountIds, type Drawn } from './arbitraries.ts';
import { putProfiles, removeProfile } from './profile-commands.ts';
import { actDraft } from './harness.ts';

const minuteMs = 60_000;
/** A fixed moment; every command lies in the hours after it. */
export const beginning = 1_767_225_600_000;

const pools: readonly { readonly name: string; readonly platform: Platform }[] = [
  { name: 'linux-small', platform: 'linux' },
  { name: 'linux-large', platform: 'linux' },
  { name: 'macs', platform: 'macos' },
];

const runnerName = fc.constantFrom('runner-a', 'runner-b', 'runner-c', 'runner-d');
const pod = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f').map((name) => ({ name, uid: `uid-${name}` }));
const jobNumber = fc.nat({ max: 30 });

/** The same number is always the same job: account, pool and age follow from the number. */
function draftOf(number: number): JobDraft {
  const pool = pools[number % pools.length] ?? { name: '', platform: 'linux' };
  return {
    id: String(3_804_004_623_172_239_300n + BigInt(number)),
    accountId: accountIds[(number >> 1) % accountIds.length] ?? '',
    installationId: `${accountIds[(number >> 1) % accountIds.length] ?? ''}-1`,
    pool: pool.name,
    shape: { platform: pool.platform, vcpus: 4, memoryGb: 8 },
    label: `label-${pool.name}`,
    repository: `org/repo-${number % 4}`,
    runId: '1',
    runAttempt: 1,
    workflow: 'build',
    name: `job ${number}`,
    branch: 'main',
    commit: 'c0ffee',
    queuedAt: beginning + (number % 7) * minuteMs,
  };
}

/** The same job, sometimes with a renamed repository. */
const job = fc.tuple(jobNumber, fc.boolean()).map(([number, isRenamed]): JobDraft => {
  const draft = draftOf(number);
  return isRenamed ? { ...draft, repository: `renamed-${draft.repository}` } : draft;
});

const end: fc.Arbitrary<JobEnd> = fc.record({
  runnerName: fc.option(runnerName, { nil: undefined }),
  startedAt: fc.option(fc.constant(beginning + minuteMs), { nil: undefined }),
  conclusion: fc.constantFrom('success', 'failure', 'cancelled'),
  at: fc.constant(beginning + 2 * minuteMs),
});

const effect: fc.Arbitrary<Effect> = fc.oneof(
  job.map((of): Effect => ({ kind: 'wait', job: of })),
  {
    weight: 4,
    arbitrary: fc.tuple(job, fc.option(fc.nat({ max: 9 }))).map(([of, minutes]): Effect => {
      return {
        kind: 'enqueue',
        job: of,
        ...(minutes !== null && { at: of.queuedAt + minutes * minuteMs }),
      };
    }),
  },
  fc.tuple(job, runnerName).map(([of, name]): Effect => {
    return { kind: 'start', job: of, runnerName: name, at: beginning + minuteMs };
  }),
  fc.tuple(job, end).map(([of, how]): Effect => ({ kind: 'complete', job: of, end: how })),
);

const install = fc
  .tuple(
    account,
    fc.constantFrom('1', '2'),
    fc.constantFrom<Installation['state']>('active', 'suspended', 'removed'),
  )
  .map(([accountId, which, state]): Drawn => ({
    says: `installation ${which} of ${accountId} is ${state}`,
    run: async (store) =>
      store.apply({
        kind: 'install',
        account: { id: accountId, login: `org-${accountId}` },
        installation: { id: `${accountId}-${which}`, accountId, state },
        firstProfile: { vcpus: 1, memoryGb: 1 },
      }),
  }));

const ingest = fc.tuple(fc.nat({ max: 40 }), effect).map(([guid, of]): Drawn => ({
  says: `ingest ${guid} ${JSON.stringify(of)}`,
  run: async (store, at) =>
    store.ingest({ guid: `guid-${guid}`, event: 'workflow_job', action: of.kind, receivedAt: at }, of),
}));

const claim = fc
  .tuple(
    fc.constantFrom(...pools),
    fc.uniqueArray(pod, { minLength: 1, maxLength: 5, selector: ({ uid }) => uid }),
    fc.record({
      job: fc.option(jobNumber),
      repository: fc.option(fc.nat({ max: 3 })),
      account: fc.option(account),
    }),
  )
  .map(([pool, pods, but]): Drawn => ({
    says: `claim ${pool.name} for ${pods.map(({ name }) => name).join(' ')} but ${JSON.stringify(but)}`,
    run: async (store, at, serial) =>
      store.claim({
        pool: pool.name,
        pods: pods.map((each, index) => ({ ...each, generation: `${serial}-${index}` })),
        at,
        queuedAfter: beginning - 1,
        except: {
          jobs: new Set(but.job === null ? [] : [draftOf(but.job).id]),
          repositories: new Set(but.repository === null ? [] : [`org/repo-${but.repository}`]),
          accounts: new Set(but.account === null ? [] : [but.account]),
        },
      }),
  }));

/** Picks a live claim by index; one in four commands names a claim that never existed. */
async function someGeneration(store: JobStore, place: number): Promise<string> {
  const claims = await store.claims();
  return claims[place % (claims.length + 1)]?.generation ?? 'never';
}

const promote = fc.tuple(fc.nat({ max: 12 }), runnerName).map(([place, name]): Drawn => ({
  says: `promote the ${place}. claim as ${name}`,
  run: async (store, at, serial) =>
    store.promote({
      generation: await someGeneration(store, place),
      runnerName: name,
      sessionId: serial,
      at,
    }),
}));

const release = fc.nat({ max: 12 }).map((place): Drawn => ({
  says: `release the ${place}. claim`,
  run: async (store, at, serial) => {
    const generation = await someGeneration(store, place);
    return store.release(generation, actDraft(serial, { at, kind: 'release', generation }));
  },
}));

const stopped = fc.tuple(pod, fc.boolean()).map(([of, isReported]): Drawn => ({
  says: `${of.name} stopped${isReported ? ', and how is known' : ''}`,
  run: async (store, at, serial) =>
    store.podStopped(
      {
        pod: of,
        at,
        ending: isReported ? { exitCode: 1, reason: 'Error', logTail: `ended at ${at}` } : undefined,
      },
      isReported ? undefined : actDraft(serial, { at, kind: 'stopped', pod: of }),
    ),
}));

const retire = fc.tuple(fc.constantFrom(...pools), pod).map(([pool, of]): Drawn => ({
  says: `retire ${of.name} of ${pool.name}`,
  run: async (store, at, serial) =>
    store.block({ pool: pool.name, pod: of, at }, actDraft(serial, { at, kind: 'retire', pod: of })),
}));

const abandon = fc
  .tuple(jobNumber, fc.boolean(), fc.constantFrom('pod_stopped' as const, 'aged_out' as const))
  .map(([number, isRight, evidence]): Drawn => ({
    says: `abandon job ${number} since ${evidence}`,
    run: async (store, at, serial) => {
      const { id: jobId } = draftOf(number);
      const generation = (isRight ? (await store.job(jobId))?.generation : undefined) ?? 'never';
      return store.abandon({ jobId, generation, evidence }, actDraft(serial, { at, jobId, generation }));
    },
  }));

const giveUp = fc
  .tuple(jobNumber, fc.constantFrom('waiting' as const, 'queued' as const, 'running' as const))
  .map(([number, from]): Drawn => ({
    says: `give up job ${number} if it is ${from}`,
    run: async (store, at, serial) => {
      const { id: jobId } = draftOf(number);
      return store.giveUp({ jobId, from, conclusion: 'stale', at }, actDraft(serial, { at, jobId }));
    },
  }));

const settle = fc.nat({ max: 12 }).map((place): Drawn => ({
  says: `settle the ${place}. claim`,
  run: async (store, at, serial) => {
    const generation = await someGeneration(store, place);
    return store.settle(generation, actDraft(serial, { at, generation }));
  },
}));

const worker = fc.constantFrom('stale-claims', 'ghost-runners');

const suspect = fc
  .tuple(worker, fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }), fc.nat({ max: 30 }))
  .map(([who, subjects, seconds]): Drawn => ({
    says: `${who} suspects ${subjects.join(' ')}`,
    run: async (store, at) => store.suspect(who, subjects, at - seconds * 1000),
  }));

const round = fc
  .tuple(
    worker,
    fc.constantFrom('replica-1', 'replica-2'),
    fc.constantFrom<'take' | 'keep' | 'good' | 'bad'>('take', 'take', 'keep', 'good', 'bad'),
  )
  .map(([who, holder, does]): Drawn => ({
    says: `${holder}: ${does} of ${who}`,
    run: async (store, at) => {
      if (does === 'take')
        return store.acquireLease({ worker: who, holder, at, everyMs: 90_000, leaseMs: 60_000 });
      if (does === 'keep') return store.renewLeases({ workers: [who, 'other'], holder, at, leaseMs: 60_000 });
      return store.releaseLease({ worker: who, holder, isGood: does === 'good' });
    },
  }));

const prune = fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 })).map(([notes, jobs]): Drawn => ({
  says: `forget what is older than command ${notes}, and jobs than command ${jobs}`,
  run: async (store) =>
    store.prune({ notesBefore: beginning + notes * 10_000, jobsBefore: beginning + jobs * 10_000 }),
}));

const setLimit = fc
  .tuple(account, fc.constantFrom<Platform>('linux', 'macos'), fc.constantFrom(0, 4, 8, 32))
  .map(([accountId, platform, vcpus]): Drawn => ({
    says: `limit ${accountId} on ${platform} to ${vcpus}`,
    run: async (store) => store.setLimit({ accountId, platform, vcpus, memoryGb: vcpus * 2 }),
  }));

export const commands: fc.Arbitrary<readonly Drawn[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: ingest },
    { weight: 2, arbitrary: install },
    { weight: 5, arbitrary: claim },
    { weight: 4, arbitrary: promote },
    { weight: 2, arbitrary: release },
    { weight: 2, arbitrary: stopped },
    { weight: 1, arbitrary: retire },
    { weight: 2, arbitrary: abandon },
    { weight: 1, arbitrary: giveUp },
    { weight: 2, arbitrary: settle },
    { weight: 1, arbitrary: suspect },
    { weight: 2, arbitrary: round },
    { weight: 1, arbitrary: prune },
    { weight: 1, arbitrary: setLimit },
    { weight: 1, arbitrary: putProfiles },
    { weight: 1, arbitrary: removeProfile },
  ),
  { minLength: 5, maxLength: 60, size: 'max' },
);

/** Sets up every account of the commands. */
export async function setUp(store: JobStore): Promise<void> {
  for (const id of accountIds)
    await store.apply({
      kind: 'install',
      account: { id, login: `org-${id}` },
      installation: { id: `${id}-1`, accountId: id, state: 'active' },
      firstProfile: id === accountIds[0] ? { vcpus: 2, memoryGb: 8 } : undefined,
    });
}

/** Returns everything observable of a store. */
export async function seen(store: JobStore, at: number): Promise<unknown> {
  return {
    jobs: await store.jobs({ limit: 1000 }),
    queuedPools: await store.queuedPools(),
    claims: await store.claims(),
    sessions: await store.openSessions(),
    accounts: await store.accounts(),
    installations: await store.installations(),
    acts: await store.acts({ limit: 1000 }),
    actsOfPods: await store.acts({ podUids: ['uid-a', 'uid-b'], limit: 3 }),
    actsOfPod: await store.acts({ podName: 'c', limit: 1000 }),
    actsOfJob: await store.acts({ jobId: draftOf(3).id, limit: 1000 }),
    rounds: await store.leases(),
    sources: await store.jobSources(beginning + 2 * minuteMs),
    someJobs: await store.jobs({ ids: [1, 2, 3].map((number) => draftOf(number).id), limit: 2 }),
    earlyJobs: await store.jobs({ queuedBefore: beginning + 3 * minuteMs, states: ['queued'], limit: 10 }),
    newestJobs: await store.jobs({ isNewestFirst: true, limit: 3 }),
    usage: await store.usage(),
    profiles: await Promise.all(accountIds.map(async (id) => store.profiles(id))),
    signals: await Promise.all(pools.map(async ({ name }) => store.signals(name, at))),
  };
}
