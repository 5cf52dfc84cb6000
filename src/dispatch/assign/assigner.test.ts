/** A failure at any step of a poll leaves no claim, no stamp and no session, and the job in the queue. */
import { beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { FleetError, type FailureKind } from '../../platform/errors/fleet-error.ts';
import { Secret } from '../../platform/secret.ts';
import { pacedReason, type Listener, type RunnerOrder } from '../github/port.ts';
import { MemoryStore } from '../store/model/memory-store.ts';
import type { JobStore } from '../store/port.ts';
import type { JobDraft, PodRef } from '../store/rows.ts';
import { ParkedPolls } from './parked-polls.ts';
import { Dispatcher, type PollAnswer, type PoolFacts } from './assigner.ts';
import type { RunnerPod } from './runner-pod-labels.ts';
import { Cooldowns } from './cooldowns.ts';

const startedAt = Date.UTC(2026, 0, 1);
const pod: PodRef = { name: 'linux-runner-1', uid: 'uid-1' };

/** A dispatcher with its store in memory, one Pod, and a scripted GitHub. */
class Harness {
  readonly clock = new TestClock(startedAt);
  memory = new MemoryStore();
  readonly orders: RunnerOrder[] = [];
  readonly removed: object[] = [];
  readonly listeners: (Listener | undefined)[] = [];
  readonly leaving = new AbortController();
  /** Scripted answers of GitHub to the next registrations; empty: GitHub registers. */
  refusals: (Error | undefined)[] = [];
  podNow: RunnerPod | undefined = {
    ...pod,
    resourceVersion: '1',
    owner: undefined,
    stampedFor: undefined,
    isServed: false,
    image: 'image@1',
    isDrained: false,
    isDrainEligible: false,
  };
  stampFails: Error | undefined;
  markFails: Error[] = [];
  promoteFails: Error[] = [];
  /** Runs while the Pod is read. */
  looking: () => Promise<unknown> = () => Promise.resolve();
  /** Runs while GitHub registers. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  /** Runs before the Pod is stamped. */
  stamping: () => Promise<unknown> = () => Promise.resolve();
  /** Runs after the Pod is stamped. */
  stamped: () => void = () => undefined;
  /** Runs before the Pod is marked as served. */
  marking: () => Promise<unknown> = () => Promise.resolve();
  pool: PoolFacts | undefined = { image: 'image@1', runnerLabels: ['self-hosted', 'Linux'] };
  readonly dispatcher: Dispatcher;
  #ids = 0;

  constructor() {
    const newId = (): string => `${String((this.#ids += 1)).padStart(8, '0')}-id`;
    const cooldowns = new Cooldowns(this.clock);
    const store: Pick<JobStore, 'claim' | 'claims' | 'promote' | 'release'> = {
      claims: async () => this.memory.claims(),
      claim: async (request) => this.memory.claim(request),
      release: async (generation, act) => this.memory.release(generation, act),
      promote: async (promotion) => {
        const reported = this.promoteFails.shift();
        if (reported !== undefined) throw reported;
        return this.memory.promote(promotion);
      },
    };
    const parkedPolls = new ParkedPolls({
      store,
      clock: this.clock,
      newGeneration: newId,
      except: () => cooldowns.now(),
    });
    this.dispatcher = new Dispatcher({
      store,
      parkedPolls,
      clock: this.clock,
      newId,
      cooldowns,
      pods: {
        read: async () => {
          await this.looking();
          return this.podNow;
        },
        stamp: async (seen, { owner, generation }) => {
          await this.stamping();
          if (this.stampFails !== undefined) throw this.stampFails;
          const had = this.podNow?.stampedFor;
          if (this.podNow === undefined) return 'gone';
          if (had !== undefined && had !== seen.stampedFor && had !== generation) return 'overtaken';
          this.#write({ owner: owner.login, stampedFor: generation });
          this.stamped();
          return 'stamped';
        },
        markServed: async (_pod, generation) => {
          await this.marking();
          const reported = this.markFails.shift();
          if (reported !== undefined) throw reported;
          if (this.podNow === undefined) return 'gone';
          this.#write({ isServed: true });
          return this.podNow.stampedFor === generation ? 'stamped' : 'overtaken';
        },
        unstamp: async (_pod, generation) => {
          if (this.podNow?.stampedFor === generation)
            this.#write({ owner: undefined, stampedFor: undefined, isServed: false });
        },
      },
      github: {
        register: async (order, listener) => {
          this.orders.push(order);
          this.listeners.push(listener);
          await this.meanwhile();
          const refusal = this.refusals.shift();
          if (refusal !== undefined) throw refusal;
          return {
            runnerId: '1',
            runnerName: order.name,
            place: 'organisation',
            jitConfig: new Secret('jit'),
          };
        },
        removeRunner: async (_tenant, runner) => void this.removed.push(runner),
      },
      pool: () => this.pool,
      account: async (id) => (await this.memory.accounts()).find((account) => account.id === id),
      say: () => undefined,
    });
  }

  #write(stamp: Partial<Pick<RunnerPod, 'owner' | 'stampedFor' | 'isServed'>>): void {
    if (this.podNow === undefined) return;
    this.podNow = { ...this.podNow, ...stamp, resourceVersion: `${this.podNow.resourceVersion}+` };
  }

  async poll(waitMs = 0) {
    return this.dispatcher.poll({
      pool: 'linux',
      pod,
      askedAt: this.clock.now(),
      waitMs,
      signal: this.leaving.signal,
    });
  }

  /** The state that a dead dispatch leaves. */
  async keepClaim(generation: string): Promise<void> {
    await this.memory.claim({
      pool: 'linux',
      pods: [{ ...pod, generation }],
      at: startedAt,
      queuedAfter: 0,
      except: { jobs: new Set(), repositories: new Set(), accounts: new Set() },
    });
  }

  async install(accountId: string, state: 'active' | 'suspended' = 'active'): Promise<void> {
    const installation = { id: `i-${accountId}`, accountId, state };
    await this.memory.apply({
      kind: 'install',
      account: { id: accountId, login: `org-${accountId}` },
      installation,
    });
  }

  async enqueue(id: string, { accountId = '1', repository = 'org/repo' } = {}): Promise<JobDraft> {
    const job: JobDraft = {
      id,
      accountId,
      installationId: `i-${accountId}`,
      pool: 'linux',
      shape: { platform: 'linux', vcpus: 1, memoryGb: 1 },
      label: 'tuist-linux',
      repository,
      runId: '1',
      runAttempt: 1,
      workflow: '',
      name: '',
      branch: '',
      commit: '',
      queuedAt: startedAt + Number(id),
    };
    await this.memory.apply({ kind: 'enqueue', job });
    return job;
  }

  /** All traces of a dispatch. */
  async traces() {
    const jobs = await this.memory.jobs({ limit: 100 });
    return {
      claims: (await this.memory.claims()).length,
      sessions: (await this.memory.openSessions()).length,
      stamp: this.podNow?.owner,
      jobs: jobs.map(({ state }) => state).join(' '),
    };
  }
}

const nothingLeft = { claims: 0, sessions: 0, stamp: undefined, jobs: 'queued' };

function failure(kind: FailureKind): FleetError {
  return new FleetError(kind, { reason: 'InternalError', message: 'scripted failure' });
}

let harness: Harness;
beforeEach(async () => {
  harness = new Harness();
  await harness.install('1');
});

describe('a poll', () => {
  it('hands out a registration with the labels of the pool and of the job', async () => {
    await harness.enqueue('1');
    const answer = await harness.poll();
    expect(answer).toMatchObject({ kind: 'served', owner: 'org-1', jobId: '1' });
    expect(answer.kind === 'served' && answer.jitConfig.reveal()).toBe('jit');
    expect(harness.orders).toMatchObject([
      { labels: ['self-hosted', 'Linux', 'tuist-linux'], repository: 'org/repo', installationId: 'i-1' },
    ]);
    expect(await harness.traces()).toEqual({ claims: 1, sessions: 1, stamp: 'org-1', jobs: 'running' });
  });

  it('is answered 503 while its pool is unknown, since the labels of the runner are unknown', async () => {
    await harness.enqueue('1');
    harness.pool = undefined;
    await expect(harness.poll()).rejects.toMatchObject({ kind: 'unavailable', reason: 'PoolUnknown' });
    expect(await harness.memory.claims()).toEqual([]);
  });

  it('never hands out a second registration to a Pod whose first answer was lost', async () => {
    await harness.enqueue('1');
    await harness.poll();
    await harness.enqueue('2');
    expect(await harness.poll()).toEqual({ kind: 'drain', reason: 'AlreadyServed' });
    expect(harness.orders.length).toBe(1);
  });

  it.for([
    ['an operator drained', { isDrained: true }, 'OperatorDrain'],
    ['has an old image and may be replaced', { image: 'image@0', isDrainEligible: true }, 'StaleImage'],
  ] as const)('ends a Pod that %s before anything is claimed', async ([, change, reason]) => {
    await harness.enqueue('1');
    if (harness.podNow !== undefined) harness.podNow = { ...harness.podNow, ...change };
    expect(await harness.poll()).toEqual({ kind: 'drain', reason });
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('serves a Pod with an old image that may not be replaced yet', async () => {
    await harness.enqueue('1');
    if (harness.podNow !== undefined) harness.podNow = { ...harness.podNow, image: 'image@0' };
    expect(await harness.poll()).toMatchObject({ kind: 'served' });
  });

  it('clears the stamp that a dead dispatch left', async () => {
    await harness.enqueue('1');
    await harness.keepClaim('dead');
    await harness.install('1', 'suspended');
    if (harness.podNow !== undefined)
      harness.podNow = { ...harness.podNow, owner: 'org-of-before', stampedFor: 'dead' };
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    expect(harness.podNow).toMatchObject({ owner: undefined, stampedFor: undefined });
  });

  it.for([
    ['a claim that the store does not know', 'forgotten'],
    ['no claim at all', undefined],
  ] as const)('sends a Pod away that has the stamp of %s', async ([, stampedFor]) => {
    await harness.enqueue('1');
    if (harness.podNow !== undefined)
      harness.podNow = { ...harness.podNow, owner: 'org-of-before', stampedFor };
    expect(await harness.poll()).toEqual({ kind: 'drain', reason: 'UnknownStamp' });
    expect(harness.podNow).toMatchObject({ owner: 'org-of-before', stampedFor });
    expect((await harness.traces()).jobs).toBe('queued');
  });

  it('drains a served Pod even if the store was restored to before its promotion', async () => {
    await harness.enqueue('1');
    await harness.enqueue('2');
    expect(await harness.poll()).toMatchObject({ kind: 'served' });
    const [claim] = await harness.memory.claims();
    harness.memory = new MemoryStore();
    await harness.install('1');
    await harness.enqueue('1');
    await harness.keepClaim(claim?.generation ?? '');
    expect(await harness.poll()).toEqual({ kind: 'drain', reason: 'AlreadyServed' });
    expect((await harness.traces()).jobs).toBe('claimed');
  });

  it('keeps the stamp of a Pod that was served while its first poll was slow', async () => {
    await harness.enqueue('1');
    harness.looking = async () => {
      harness.looking = () => Promise.resolve();
      await harness.clock.pass(10_000);
      expect(await harness.poll(7000)).toMatchObject({ kind: 'served' });
      // The Pod was read just before the mark was written.
      if (harness.podNow !== undefined) harness.podNow = { ...harness.podNow, isServed: false };
    };
    expect(await harness.poll(7000)).toEqual({ kind: 'nothing' });
    expect(await harness.traces()).toEqual({ claims: 1, sessions: 1, stamp: 'org-1', jobs: 'running' });
  });

  it('reuses the claim that a dead dispatch left for the Pod', async () => {
    await harness.enqueue('1');
    await harness.keepClaim('dead');
    if (harness.podNow !== undefined) harness.podNow = { ...harness.podNow, stampedFor: 'dead' };
    expect(await harness.poll()).toMatchObject({ kind: 'served', jobId: '1' });
    expect((await harness.memory.claims()).map(({ generation }) => generation)).not.toContain('dead');
  });
});

describe('undoes all of it when', () => {
  it.for(['gone', 'rejected', 'notYet', 'unavailable', 'conflict'] as const)(
    'GitHub fails to register (%s)',
    async (kind) => {
      await harness.enqueue('1');
      harness.refusals = [failure(kind), failure(kind)];
      expect(await harness.poll()).toEqual({ kind: 'nothing' });
      expect(await harness.traces()).toEqual(nothingLeft);
    },
  );

  it('the stamp fails', async () => {
    await harness.enqueue('1');
    harness.stampFails = failure('unavailable');
    await expect(harness.poll()).rejects.toBe(harness.stampFails);
    expect(harness.orders).toEqual([]);
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('the stamp is written and the answer is lost', async () => {
    await harness.enqueue('1');
    harness.stamped = () => {
      throw failure('unavailable');
    };
    await expect(harness.poll()).rejects.toThrow('scripted failure');
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('the Pod is gone when it is stamped', async () => {
    await harness.enqueue('1');
    const polled = harness.poll();
    harness.podNow = undefined;
    expect(await polled).toEqual({ kind: 'gone' });
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('marking the Pod as served fails three times', async () => {
    await harness.enqueue('1');
    harness.markFails = Array.from({ length: 4 }, () => failure('unavailable'));
    await expect(harness.poll()).rejects.toThrow('scripted failure');
    expect(harness.markFails).toHaveLength(1);
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('the Pod is gone when it is marked as served', async () => {
    await harness.enqueue('1');
    harness.marking = async () => void (harness.podNow = undefined);
    expect(await harness.poll()).toEqual({ kind: 'gone' });
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('the Pod has the stamp of another poll when it is marked as served, and that stamp stays', async () => {
    await harness.enqueue('1');
    harness.marking = async () => {
      if (harness.podNow !== undefined)
        harness.podNow = { ...harness.podNow, owner: 'other', stampedFor: 'later' };
    };
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    expect(await harness.traces()).toEqual({ ...nothingLeft, stamp: 'other' });
  });

  it('the client has disconnected', async () => {
    await harness.enqueue('1');
    harness.meanwhile = async () => harness.leaving.abort();
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('the client has disconnected before its Pod was stamped', async () => {
    await harness.enqueue('1');
    const accounts = await harness.memory.accounts();
    harness.memory.accounts = async () => {
      harness.leaving.abort();
      return accounts;
    };
    harness.stamping = async () => expect.fail('it stamped');
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('the job ends while its runner is registered', async () => {
    const job = await harness.enqueue('1');
    const end = { runnerName: undefined, startedAt: undefined, conclusion: 'cancelled', at: startedAt };
    harness.meanwhile = async () => harness.memory.apply({ kind: 'complete', job, end });
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    expect(await harness.traces()).toEqual({ ...nothingLeft, jobs: 'completed' });
  });

  it.for([
    ['while GitHub registered', 'meanwhile', 2],
    ['before this one could stamp it', 'stamping', 1],
  ] as const)(
    'another poll of the Pod was served %s, whose stamp and claim stay',
    async ([, when, orders]) => {
      await harness.enqueue('1');
      await harness.enqueue('2');
      let second: PollAnswer | undefined;
      harness[when] = async () => {
        harness[when] = () => Promise.resolve();
        await harness.clock.pass(10_000);
        second = await harness.poll(7000);
      };
      expect(await harness.poll(7000)).toEqual({ kind: 'nothing' });
      expect([second?.kind, harness.podNow?.owner, harness.orders.length]).toEqual([
        'served',
        'org-1',
        orders,
      ]);
      expect(await harness.memory.claims()).toMatchObject([{ state: 'running' }]);
    },
  );

  it('another replica has released the claim meanwhile', async () => {
    await harness.enqueue('1');
    harness.meanwhile = async () => {
      const [claim] = await harness.memory.claims();
      await harness.memory.release(claim?.generation ?? '');
      harness.meanwhile = async () => harness.leaving.abort();
    };
    expect((await harness.poll()).kind).toBe('nothing');
    expect(await harness.traces()).toEqual(nothingLeft);
  });
});

it('retries a promotion whose answer was lost', async () => {
  await harness.enqueue('1');
  harness.promoteFails = [failure('unavailable'), failure('unavailable')];
  expect(await harness.poll()).toMatchObject({ kind: 'served' });
});

it('undoes nothing when the promotion stays unknown: the Pod may be served', async () => {
  await harness.enqueue('1');
  harness.promoteFails = Array.from({ length: 3 }, () => failure('unavailable'));
  await expect(harness.poll()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await harness.traces()).toEqual({ claims: 1, sessions: 0, stamp: 'org-1', jobs: 'claimed' });
});

it('registers another name when the first is taken', async () => {
  await harness.enqueue('1');
  harness.refusals = [failure('conflict')];
  expect(await harness.poll()).toMatchObject({ kind: 'served' });
  expect(new Set(harness.orders.map(({ name }) => name)).size).toBe(2);
});

describe('of the ten seconds that a Pod waits for its answer,', () => {
  const chooseMs = 7000;
  const answerMs = 9000;
  const takes = (ms: number) => async (): Promise<void> =>
    new Promise((resolve) => void harness.clock.after(ms, resolve));

  async function pollFor(ms: number) {
    const polled = harness.poll(chooseMs);
    await harness.clock.settle();
    await harness.clock.pass(ms);
    return polled;
  }

  it('a job chosen in the first seven is handed out', async () => {
    await harness.enqueue('1');
    harness.looking = takes(chooseMs);
    expect(await pollFor(chooseMs)).toMatchObject({ kind: 'served' });
  });

  it('no job is chosen after that', async () => {
    await harness.enqueue('1');
    harness.looking = takes(chooseMs + 1);
    expect(await pollFor(chooseMs + 1)).toEqual({ kind: 'nothing' });
    expect(harness.orders).toEqual([]);
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('no other job is tried after that', async () => {
    await harness.enqueue('1');
    await harness.enqueue('2', { repository: 'org/other' });
    harness.meanwhile = async () => {
      harness.meanwhile = () => Promise.resolve();
      await takes(chooseMs + 1)();
    };
    harness.refusals = [failure('gone')];
    expect(await pollFor(chooseMs + 1)).toEqual({ kind: 'nothing' });
    expect(harness.orders).toHaveLength(1);
    expect(await harness.traces()).toEqual({ ...nothingLeft, jobs: 'queued queued' });
  });

  it('a runner registered in the first nine is handed out', async () => {
    await harness.enqueue('1');
    harness.meanwhile = takes(answerMs);
    expect(await pollFor(answerMs)).toMatchObject({ kind: 'served' });
  });

  it('a runner registered later is undone, and the Pod may poll again', async () => {
    await harness.enqueue('1');
    harness.meanwhile = takes(answerMs + 1);
    expect(await pollFor(answerMs + 1)).toEqual({ kind: 'nothing' });
    expect(await harness.traces()).toEqual(nothingLeft);
    harness.meanwhile = () => Promise.resolve();
    expect(await harness.poll()).toMatchObject({ kind: 'served' });
  });
});

describe('a broken tenant does not block those behind it:', () => {
  it.for([
    ['an account that may not register runners', 'rejected', '1', 'org/repo'],
    ['a repository that GitHub does not know', 'gone', '1', 'org/repo'],
    ['a job that just failed', 'unavailable', '1', 'org/repo'],
  ] as const)('%s', async ([, kind]) => {
    await harness.install('2');
    await harness.enqueue('1');
    await harness.enqueue('2', { accountId: '2', repository: 'other/repo' });
    harness.refusals = [failure(kind)];
    expect(await harness.poll()).toMatchObject({ kind: 'served', jobId: '2' });
    expect((await harness.memory.job('1'))?.state).toBe('queued');
  });

  it.for([
    ['an account that may not register runners goes on cooldown with all of its jobs', 'rejected', undefined],
    ['a repository that GitHub does not know goes on cooldown alone', 'gone', 'elsewhere'],
    ['a job that just failed goes on cooldown alone', 'unavailable', 'sibling'],
  ] as const)('%s', async ([, kind, servedNext]) => {
    const ids = { first: '1', sibling: '2', elsewhere: '3' };
    await harness.enqueue(ids.first);
    await harness.enqueue(ids.sibling);
    await harness.enqueue(ids.elsewhere, { repository: 'org/elsewhere' });
    harness.refusals = [failure(kind)];
    const jobId = servedNext && ids[servedNext];
    expect(await harness.poll()).toMatchObject(
      jobId === undefined ? { kind: 'nothing' } : { kind: 'served', jobId },
    );
  });

  it('and the message of GitHub is recorded with the requeued job', async () => {
    await harness.enqueue('1');
    harness.refusals = [failure('rejected')];
    await harness.poll();
    expect(await harness.memory.acts({ jobId: '1', limit: 5 })).toMatchObject([
      {
        kind: 'registration_refused',
        outcome: 'released',
        pod: { uid: pod.uid },
        evidence: { said: 'scripted failure' },
      },
    ]);
  });

  it('and the job is tried again after the cooldown', async () => {
    await harness.enqueue('1');
    harness.refusals = [failure('rejected')];
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    expect(harness.orders.length).toBe(1);
    await harness.clock.pass(6000);
    expect(await harness.poll()).toMatchObject({ kind: 'served', jobId: '1' });
  });
});

describe('a registration without an answer of GitHub', () => {
  it('holds its Pod no longer than the poll, and is removed when the answer arrives late', async () => {
    await harness.enqueue('1');
    const answer = Promise.withResolvers<void>();
    harness.meanwhile = () => answer.promise;
    let answered: PollAnswer | undefined;
    const polled = harness.poll(7000).then((reported) => void (answered = reported));
    await harness.clock.settle();
    await harness.clock.pass(9000);
    expect(answered).toEqual({ kind: 'nothing' });
    expect(await harness.traces()).toEqual(nothingLeft);
    answer.resolve();
    await polled;
    await harness.clock.settle();
    expect(harness.removed).toEqual([{ id: '1', place: 'organisation' }]);
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('is not awaited once the client has disconnected', async () => {
    await harness.enqueue('1');
    harness.meanwhile = () => new Promise(() => undefined);
    let isOver = false;
    void harness.poll(7000).then(() => (isOver = true));
    await harness.clock.settle();
    harness.leaving.abort();
    await harness.clock.settle();
    expect(isOver).toBe(true);
    expect(await harness.traces()).toEqual(nothingLeft);
  });

  it('makes other polls skip its account after two seconds, until the answer arrives', async () => {
    await harness.install('2');
    await harness.enqueue('1');
    await harness.enqueue('2', { accountId: '2', repository: 'other/repo' });
    harness.meanwhile = () => new Promise(() => undefined);
    void harness.poll(7000);
    await harness.clock.settle();
    await harness.clock.pass(8000);
    harness.meanwhile = () => Promise.resolve();
    expect(await harness.poll()).toMatchObject({ kind: 'served', jobId: '2' });
  });
});

describe('an account with a retry time from GitHub', () => {
  const limited = (inMs: number): FleetError =>
    new FleetError(
      'notYet',
      { reason: 'RateLimited', message: 'scripted' },
      { retryAt: harness.clock.now() + inMs },
    );

  it.for([1000, 3_600_000])('is tried again after %i ms, and neither sooner nor later', async (inMs) => {
    await harness.enqueue('1');
    harness.refusals = [limited(inMs)];
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    expect(await harness.traces()).toEqual(nothingLeft);
    await harness.clock.pass(inMs - 1);
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    expect(harness.orders).toHaveLength(1);
    await harness.clock.pass(1);
    expect(await harness.poll()).toMatchObject({ kind: 'served', jobId: '1' });
  });

  it('is tried for a waiting Pod at its retry time', async () => {
    await harness.enqueue('1');
    harness.refusals = [limited(1000)];
    expect(await harness.poll()).toEqual({ kind: 'nothing' });
    const waiting = harness.poll(7000);
    await harness.clock.pass(1000);
    expect(harness.orders).toHaveLength(2);
    await harness.clock.pass(7000);
    expect(await waiting).toMatchObject({ kind: 'served', jobId: '1' });
  });

  it('waits no longer after repeated rate limits: they are not failures', async () => {
    await harness.enqueue('1');
    for (let round = 1; round <= 5; round += 1) {
      harness.refusals = [limited(1000)];
      expect(await harness.poll()).toEqual({ kind: 'nothing' });
      expect(harness.orders).toHaveLength(round);
      await harness.clock.pass(1000);
    }
    expect(await harness.poll()).toMatchObject({ kind: 'served' });
  });
});

describe('an organisation with too many registrations at once', () => {
  const paced = (inMs: number): FleetError =>
    new FleetError('notYet', { reason: pacedReason, message: 'scripted' }, { retryAt: startedAt + inMs });

  it('learns until when an answer is of use, and when the client has disconnected', async () => {
    await harness.enqueue('1');
    await harness.poll(7000);
    expect(harness.listeners).toMatchObject([{ until: startedAt + 9000, signal: harness.leaving.signal }]);
  });

  it('is skipped, so that the same poll tries a job of another account', async () => {
    await harness.install('2');
    await harness.enqueue('1');
    await harness.enqueue('2', { accountId: '2', repository: 'other/repo' });
    harness.refusals = [paced(9200)];
    expect(await harness.poll(7000)).toMatchObject({ kind: 'served', jobId: '2' });
    expect((await harness.memory.job('1'))?.state).toBe('queued');
  });

  it('is tried again as soon as the limit allows: rate limits are not failures', async () => {
    await harness.enqueue('1');
    for (let round = 0; round < 5; round += 1) {
      harness.refusals = [paced(round * 2200 + 9200)];
      expect(await harness.poll(7000)).toEqual({ kind: 'nothing' });
      expect(await harness.traces()).toEqual(nothingLeft);
      expect(harness.orders).toHaveLength(round + 1);
      await harness.clock.pass(2200);
    }
    expect(await harness.poll(7000)).toMatchObject({ kind: 'served', jobId: '1' });
  });

  it('is not skipped for other polls if only this poll had too little time left', async () => {
    await harness.enqueue('1');
    harness.refusals = [paced(6000)];
    expect(await harness.poll(7000)).toEqual({ kind: 'nothing' });
    expect(harness.orders).toHaveLength(1);
    expect(await harness.traces()).toEqual(nothingLeft);
    expect(await harness.poll(7000)).toMatchObject({ kind: 'served' });
  });
});
