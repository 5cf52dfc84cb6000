/** Each step of a poll that fails leaves nothing behind: no claim, no stamp, no session, and the job in the queue. */
import { beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../test/test-clock.ts';
import { FleetError, type FailureKind } from '../../errors/fleet-error.ts';
import { Secret } from '../../runtime/secret.ts';
import { pacedReason, type Listener, type RunnerOrder } from '../github/port.ts';
import { MemoryStore } from '../store/contract/model/memory-store.ts';
import type { JobStore } from '../store/port.ts';
import type { JobDraft, PodRef } from '../store/rows.ts';
import { WaitingRoom } from '../waiting-room.ts';
import { Dispatcher, type PollAnswer, type PoolFacts } from './dispatcher.ts';
import type { RunnerPod } from './pod-desk.ts';
import { SickList } from './sick-list.ts';

const startedAt = Date.UTC(2026, 0, 1);
const pod: PodRef = { name: 'linux-runner-1', uid: 'uid-1' };

/** A dispatcher with its store in memory, one Pod, and a GitHub that does as it is told. */
class Stand {
  readonly clock = new TestClock(startedAt);
  memory = new MemoryStore();
  readonly orders: RunnerOrder[] = [];
  readonly removed: object[] = [];
  readonly listeners: (Listener | undefined)[] = [];
  readonly leaving = new AbortController();
  /** What GitHub answers to the next registrations; nothing: it registers. */
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
  /** Happens while the Pod is looked at. */
  looking: () => Promise<unknown> = () => Promise.resolve();
  /** Happens while GitHub is asked. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  /** Happens before the Pod is stamped. */
  stamping: () => Promise<unknown> = () => Promise.resolve();
  /** Happens after the Pod was stamped. */
  stamped: () => void = () => undefined;
  /** Happens before the Pod is marked as served. */
  marking: () => Promise<unknown> = () => Promise.resolve();
  pool: PoolFacts | undefined = { image: 'image@1', runnerLabels: ['self-hosted', 'Linux'] };
  readonly dispatcher: Dispatcher;
  #ids = 0;

  constructor() {
    const newId = (): string => `${String((this.#ids += 1)).padStart(8, '0')}-id`;
    const sick = new SickList(this.clock);
    const store: Pick<JobStore, 'claim' | 'claims' | 'promote' | 'release'> = {
      claims: async () => this.memory.claims(),
      claim: async (request) => this.memory.claim(request),
      release: async (generation, act) => this.memory.release(generation, act),
      promote: async (promotion) => {
        const told = this.promoteFails.shift();
        if (told !== undefined) throw told;
        return this.memory.promote(promotion);
      },
    };
    const room = new WaitingRoom({
      store,
      clock: this.clock,
      newGeneration: newId,
      except: () => sick.now(),
    });
    this.dispatcher = new Dispatcher({
      store,
      room,
      clock: this.clock,
      newId,
      sick,
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
          const told = this.markFails.shift();
          if (told !== undefined) throw told;
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

  /** As a dispatch that died leaves it. */
  async leaveClaim(generation: string): Promise<void> {
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

  /** What is left of a dispatch, all at once. */
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
  return new FleetError(kind, { reason: 'Told', message: 'as told' });
}

let stand: Stand;
beforeEach(async () => {
  stand = new Stand();
  await stand.install('1');
});

describe('a poll', () => {
  it('hands out a registration with the labels of the pool and of the job', async () => {
    await stand.enqueue('1');
    const answer = await stand.poll();
    expect(answer).toMatchObject({ kind: 'served', owner: 'org-1', jobId: '1' });
    expect(answer.kind === 'served' && answer.jitConfig.reveal()).toBe('jit');
    expect(stand.orders).toMatchObject([
      { labels: ['self-hosted', 'Linux', 'tuist-linux'], repository: 'org/repo', installationId: 'i-1' },
    ]);
    expect(await stand.traces()).toEqual({ claims: 1, sessions: 1, stamp: 'org-1', jobs: 'running' });
  });

  it('is told to come again while its pool is not known: nobody could say how its runner is labelled', async () => {
    await stand.enqueue('1');
    stand.pool = undefined;
    await expect(stand.poll()).rejects.toMatchObject({ kind: 'unavailable', reason: 'PoolUnknown' });
    expect(await stand.memory.claims()).toEqual([]);
  });

  it('never hands out a second one to a Pod whose first answer was lost', async () => {
    await stand.enqueue('1');
    await stand.poll();
    await stand.enqueue('2');
    expect(await stand.poll()).toEqual({ kind: 'drain', reason: 'AlreadyServed' });
    expect(stand.orders.length).toBe(1);
  });

  it.for([
    ['a person drained', { isDrained: true }, 'OperatorDrain'],
    ['has an old image whose turn has come', { image: 'image@0', isDrainEligible: true }, 'StaleImage'],
  ] as const)('ends a Pod that %s before anything is claimed', async ([, change, reason]) => {
    await stand.enqueue('1');
    if (stand.podNow !== undefined) stand.podNow = { ...stand.podNow, ...change };
    expect(await stand.poll()).toEqual({ kind: 'drain', reason });
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('serves a Pod with an old image whose turn has not come', async () => {
    await stand.enqueue('1');
    if (stand.podNow !== undefined) stand.podNow = { ...stand.podNow, image: 'image@0' };
    expect(await stand.poll()).toMatchObject({ kind: 'served' });
  });

  it('takes away the stamp that a dispatch which died has left', async () => {
    await stand.enqueue('1');
    await stand.leaveClaim('dead');
    await stand.install('1', 'suspended');
    if (stand.podNow !== undefined)
      stand.podNow = { ...stand.podNow, owner: 'org-of-before', stampedFor: 'dead' };
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    expect(stand.podNow).toMatchObject({ owner: undefined, stampedFor: undefined });
  });

  it.for([
    ['a claim that the store does not know', 'forgotten'],
    ['no claim at all', undefined],
  ] as const)('sends a Pod away that has the stamp of %s', async ([, stampedFor]) => {
    await stand.enqueue('1');
    if (stand.podNow !== undefined) stand.podNow = { ...stand.podNow, owner: 'org-of-before', stampedFor };
    expect(await stand.poll()).toEqual({ kind: 'drain', reason: 'UnknownStamp' });
    expect(stand.podNow).toMatchObject({ owner: 'org-of-before', stampedFor });
    expect((await stand.traces()).jobs).toBe('queued');
  });

  it('sends a Pod away that was served, also when the store went back to before its promotion', async () => {
    await stand.enqueue('1');
    await stand.enqueue('2');
    expect(await stand.poll()).toMatchObject({ kind: 'served' });
    const [claim] = await stand.memory.claims();
    stand.memory = new MemoryStore();
    await stand.install('1');
    await stand.enqueue('1');
    await stand.leaveClaim(claim?.generation ?? '');
    expect(await stand.poll()).toEqual({ kind: 'drain', reason: 'AlreadyServed' });
    expect((await stand.traces()).jobs).toBe('claimed');
  });

  it('leaves the stamp of a Pod that was served while its first poll took too long to come to it', async () => {
    await stand.enqueue('1');
    stand.looking = async () => {
      stand.looking = () => Promise.resolve();
      await stand.clock.pass(10_000);
      expect(await stand.poll(7000)).toMatchObject({ kind: 'served' });
      // It was looked at a moment before that was said on it.
      if (stand.podNow !== undefined) stand.podNow = { ...stand.podNow, isServed: false };
    };
    expect(await stand.poll(7000)).toEqual({ kind: 'nothing' });
    expect(await stand.traces()).toEqual({ claims: 1, sessions: 1, stamp: 'org-1', jobs: 'running' });
  });

  it('claims again for a Pod whose claim was made by a dispatch that died', async () => {
    await stand.enqueue('1');
    await stand.leaveClaim('dead');
    if (stand.podNow !== undefined) stand.podNow = { ...stand.podNow, stampedFor: 'dead' };
    expect(await stand.poll()).toMatchObject({ kind: 'served', jobId: '1' });
    expect((await stand.memory.claims()).map(({ generation }) => generation)).not.toContain('dead');
  });
});

describe('undoes all of it when', () => {
  it.for(['gone', 'rejected', 'notYet', 'unavailable', 'conflict'] as const)(
    'GitHub registers nobody (%s)',
    async (kind) => {
      await stand.enqueue('1');
      stand.refusals = [failure(kind), failure(kind)];
      expect(await stand.poll()).toEqual({ kind: 'nothing' });
      expect(await stand.traces()).toEqual(nothingLeft);
    },
  );

  it('the stamp fails', async () => {
    await stand.enqueue('1');
    stand.stampFails = failure('unavailable');
    await expect(stand.poll()).rejects.toBe(stand.stampFails);
    expect(stand.orders).toEqual([]);
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('the stamp is written and nobody is told so', async () => {
    await stand.enqueue('1');
    stand.stamped = () => {
      throw failure('unavailable');
    };
    await expect(stand.poll()).rejects.toThrow('as told');
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('the Pod is gone when it is stamped', async () => {
    await stand.enqueue('1');
    const polled = stand.poll();
    stand.podNow = undefined;
    expect(await polled).toEqual({ kind: 'gone' });
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('nobody can say on the Pod that it is served, which is tried three times', async () => {
    await stand.enqueue('1');
    stand.markFails = Array.from({ length: 4 }, () => failure('unavailable'));
    await expect(stand.poll()).rejects.toThrow('as told');
    expect(stand.markFails).toHaveLength(1);
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('the Pod is gone when that is said on it', async () => {
    await stand.enqueue('1');
    stand.marking = async () => void (stand.podNow = undefined);
    expect(await stand.poll()).toEqual({ kind: 'gone' });
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('the Pod has the stamp of another poll when that is said on it, and that stays', async () => {
    await stand.enqueue('1');
    stand.marking = async () => {
      if (stand.podNow !== undefined) stand.podNow = { ...stand.podNow, owner: 'other', stampedFor: 'later' };
    };
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    expect(await stand.traces()).toEqual({ ...nothingLeft, stamp: 'other' });
  });

  it('whoever asked has left', async () => {
    await stand.enqueue('1');
    stand.meanwhile = async () => stand.leaving.abort();
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('whoever asked has left before its Pod was stamped', async () => {
    await stand.enqueue('1');
    const accounts = await stand.memory.accounts();
    stand.memory.accounts = async () => {
      stand.leaving.abort();
      return accounts;
    };
    stand.stamping = async () => expect.fail('it stamped');
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('the job ends while its runner is registered', async () => {
    const job = await stand.enqueue('1');
    const end = { runnerName: undefined, startedAt: undefined, conclusion: 'cancelled', at: startedAt };
    stand.meanwhile = async () => stand.memory.apply({ kind: 'complete', job, end });
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    expect(await stand.traces()).toEqual({ ...nothingLeft, jobs: 'completed' });
  });

  it.for([
    ['while GitHub was asked', 'meanwhile', 2],
    ['before this one could stamp it', 'stamping', 1],
  ] as const)(
    'another poll of the Pod was served %s, whose stamp and claim stay',
    async ([, when, orders]) => {
      await stand.enqueue('1');
      await stand.enqueue('2');
      let second: PollAnswer | undefined;
      stand[when] = async () => {
        stand[when] = () => Promise.resolve();
        await stand.clock.pass(10_000);
        second = await stand.poll(7000);
      };
      expect(await stand.poll(7000)).toEqual({ kind: 'nothing' });
      expect([second?.kind, stand.podNow?.owner, stand.orders.length]).toEqual(['served', 'org-1', orders]);
      expect(await stand.memory.claims()).toMatchObject([{ state: 'running' }]);
    },
  );

  it('another replica has given the claim away meanwhile', async () => {
    await stand.enqueue('1');
    stand.meanwhile = async () => {
      const [claim] = await stand.memory.claims();
      await stand.memory.release(claim?.generation ?? '');
      stand.meanwhile = async () => stand.leaving.abort();
    };
    expect((await stand.poll()).kind).toBe('nothing');
    expect(await stand.traces()).toEqual(nothingLeft);
  });
});

it('asks again when nobody knows whether the promotion happened', async () => {
  await stand.enqueue('1');
  stand.promoteFails = [failure('unavailable'), failure('unavailable')];
  expect(await stand.poll()).toMatchObject({ kind: 'served' });
});

it('undoes nothing when the promotion stays unknown: the Pod may be served', async () => {
  await stand.enqueue('1');
  stand.promoteFails = Array.from({ length: 3 }, () => failure('unavailable'));
  await expect(stand.poll()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await stand.traces()).toEqual({ claims: 1, sessions: 0, stamp: 'org-1', jobs: 'claimed' });
});

it('takes another name when the first one is taken', async () => {
  await stand.enqueue('1');
  stand.refusals = [failure('conflict')];
  expect(await stand.poll()).toMatchObject({ kind: 'served' });
  expect(new Set(stand.orders.map(({ name }) => name)).size).toBe(2);
});

describe('of the ten seconds that a Pod waits for its answer,', () => {
  const chooseMs = 7000;
  const answerMs = 9000;
  const takes = (ms: number) => async (): Promise<void> =>
    new Promise((resolve) => void stand.clock.after(ms, resolve));

  async function pollFor(ms: number) {
    const polled = stand.poll(chooseMs);
    await stand.clock.settle();
    await stand.clock.pass(ms);
    return polled;
  }

  it('what is chosen in the first seven is handed out', async () => {
    await stand.enqueue('1');
    stand.looking = takes(chooseMs);
    expect(await pollFor(chooseMs)).toMatchObject({ kind: 'served' });
  });

  it('nothing is chosen after them', async () => {
    await stand.enqueue('1');
    stand.looking = takes(chooseMs + 1);
    expect(await pollFor(chooseMs + 1)).toEqual({ kind: 'nothing' });
    expect(stand.orders).toEqual([]);
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('no other job is tried after them', async () => {
    await stand.enqueue('1');
    await stand.enqueue('2', { repository: 'org/other' });
    stand.meanwhile = async () => {
      stand.meanwhile = () => Promise.resolve();
      await takes(chooseMs + 1)();
    };
    stand.refusals = [failure('gone')];
    expect(await pollFor(chooseMs + 1)).toEqual({ kind: 'nothing' });
    expect(stand.orders).toHaveLength(1);
    expect(await stand.traces()).toEqual({ ...nothingLeft, jobs: 'queued queued' });
  });

  it('what is registered in the first nine is handed out', async () => {
    await stand.enqueue('1');
    stand.meanwhile = takes(answerMs);
    expect(await pollFor(answerMs)).toMatchObject({ kind: 'served' });
  });

  it('what is registered later is undone, and the Pod may ask again', async () => {
    await stand.enqueue('1');
    stand.meanwhile = takes(answerMs + 1);
    expect(await pollFor(answerMs + 1)).toEqual({ kind: 'nothing' });
    expect(await stand.traces()).toEqual(nothingLeft);
    stand.meanwhile = () => Promise.resolve();
    expect(await stand.poll()).toMatchObject({ kind: 'served' });
  });
});

describe('a broken tenant does not block those behind it:', () => {
  it.for([
    ['an account that may not register runners', 'rejected', '1', 'org/repo'],
    ['a repository that GitHub does not show', 'gone', '1', 'org/repo'],
    ['a job that just failed', 'unavailable', '1', 'org/repo'],
  ] as const)('%s', async ([, kind]) => {
    await stand.install('2');
    await stand.enqueue('1');
    await stand.enqueue('2', { accountId: '2', repository: 'other/repo' });
    stand.refusals = [failure(kind)];
    expect(await stand.poll()).toMatchObject({ kind: 'served', jobId: '2' });
    expect((await stand.memory.job('1'))?.state).toBe('queued');
  });

  it.for([
    ['an account that may not register runners rests with all of its jobs', 'rejected', undefined],
    ['a repository that GitHub does not show rests alone', 'gone', 'elsewhere'],
    ['a job that just failed rests alone', 'unavailable', 'sibling'],
  ] as const)('%s', async ([, kind, servedNext]) => {
    const ids = { first: '1', sibling: '2', elsewhere: '3' };
    await stand.enqueue(ids.first);
    await stand.enqueue(ids.sibling);
    await stand.enqueue(ids.elsewhere, { repository: 'org/elsewhere' });
    stand.refusals = [failure(kind)];
    const jobId = servedNext && ids[servedNext];
    expect(await stand.poll()).toMatchObject(
      jobId === undefined ? { kind: 'nothing' } : { kind: 'served', jobId },
    );
  });

  it('and what GitHub said is written down with the job that waits again', async () => {
    await stand.enqueue('1');
    stand.refusals = [failure('rejected')];
    await stand.poll();
    expect(await stand.memory.acts({ jobId: '1', limit: 5 })).toMatchObject([
      {
        kind: 'registration_refused',
        outcome: 'released',
        pod: { uid: pod.uid },
        evidence: { said: 'as told' },
      },
    ]);
  });

  it('and it is tried again after a while', async () => {
    await stand.enqueue('1');
    stand.refusals = [failure('rejected')];
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    expect(stand.orders.length).toBe(1);
    await stand.clock.pass(6000);
    expect(await stand.poll()).toMatchObject({ kind: 'served', jobId: '1' });
  });
});

describe('a registration that GitHub does not answer', () => {
  it('keeps its Pod no longer than the poll, and is removed when it comes all the same', async () => {
    await stand.enqueue('1');
    const answer = Promise.withResolvers<void>();
    stand.meanwhile = () => answer.promise;
    let answered: PollAnswer | undefined;
    const polled = stand.poll(7000).then((told) => void (answered = told));
    await stand.clock.settle();
    await stand.clock.pass(9000);
    expect(answered).toEqual({ kind: 'nothing' });
    expect(await stand.traces()).toEqual(nothingLeft);
    answer.resolve();
    await polled;
    await stand.clock.settle();
    expect(stand.removed).toEqual([{ id: '1', place: 'organisation' }]);
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('is not waited for once its Pod has gone', async () => {
    await stand.enqueue('1');
    stand.meanwhile = () => new Promise(() => undefined);
    let isOver = false;
    void stand.poll(7000).then(() => (isOver = true));
    await stand.clock.settle();
    stand.leaving.abort();
    await stand.clock.settle();
    expect(isOver).toBe(true);
    expect(await stand.traces()).toEqual(nothingLeft);
  });

  it('makes other polls take jobs of other accounts after two seconds, and for as long as it takes', async () => {
    await stand.install('2');
    await stand.enqueue('1');
    await stand.enqueue('2', { accountId: '2', repository: 'other/repo' });
    stand.meanwhile = () => new Promise(() => undefined);
    void stand.poll(7000);
    await stand.clock.settle();
    await stand.clock.pass(8000);
    stand.meanwhile = () => Promise.resolve();
    expect(await stand.poll()).toMatchObject({ kind: 'served', jobId: '2' });
  });
});

describe('an account that GitHub told to wait', () => {
  const limited = (inMs: number): FleetError =>
    new FleetError(
      'notYet',
      { reason: 'RateLimited', message: 'told' },
      { retryAt: stand.clock.now() + inMs },
    );

  it.for([1000, 3_600_000])('is tried again after %i ms, and neither sooner nor later', async (inMs) => {
    await stand.enqueue('1');
    stand.refusals = [limited(inMs)];
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    expect(await stand.traces()).toEqual(nothingLeft);
    await stand.clock.pass(inMs - 1);
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    expect(stand.orders).toHaveLength(1);
    await stand.clock.pass(1);
    expect(await stand.poll()).toMatchObject({ kind: 'served', jobId: '1' });
  });

  it('is tried for a Pod that waits when its time has come', async () => {
    await stand.enqueue('1');
    stand.refusals = [limited(1000)];
    expect(await stand.poll()).toEqual({ kind: 'nothing' });
    const waiting = stand.poll(7000);
    await stand.clock.pass(1000);
    expect(stand.orders).toHaveLength(2);
    await stand.clock.pass(7000);
    expect(await waiting).toMatchObject({ kind: 'served', jobId: '1' });
  });

  it('rests for as long each time, however often that was so: it is not sick', async () => {
    await stand.enqueue('1');
    for (let round = 1; round <= 5; round += 1) {
      stand.refusals = [limited(1000)];
      expect(await stand.poll()).toEqual({ kind: 'nothing' });
      expect(stand.orders).toHaveLength(round);
      await stand.clock.pass(1000);
    }
    expect(await stand.poll()).toMatchObject({ kind: 'served' });
  });
});

describe('an organisation of which too many runners are to be registered at once', () => {
  const paced = (inMs: number): FleetError =>
    new FleetError('notYet', { reason: pacedReason, message: 'told' }, { retryAt: startedAt + inMs });

  it('is told how long an answer is of use, and when nobody waits for it any more', async () => {
    await stand.enqueue('1');
    await stand.poll(7000);
    expect(stand.listeners).toMatchObject([{ until: startedAt + 9000, signal: stand.leaving.signal }]);
  });

  it('is passed over, so that the same poll tries a job of another', async () => {
    await stand.install('2');
    await stand.enqueue('1');
    await stand.enqueue('2', { accountId: '2', repository: 'other/repo' });
    stand.refusals = [paced(9200)];
    expect(await stand.poll(7000)).toMatchObject({ kind: 'served', jobId: '2' });
    expect((await stand.memory.job('1'))?.state).toBe('queued');
  });

  it('is tried again as soon as there is room, however often that was so: it is not sick', async () => {
    await stand.enqueue('1');
    for (let round = 0; round < 5; round += 1) {
      stand.refusals = [paced(round * 2200 + 9200)];
      expect(await stand.poll(7000)).toEqual({ kind: 'nothing' });
      expect(await stand.traces()).toEqual(nothingLeft);
      expect(stand.orders).toHaveLength(round + 1);
      await stand.clock.pass(2200);
    }
    expect(await stand.poll(7000)).toMatchObject({ kind: 'served', jobId: '1' });
  });

  it('stays in turn for others where only this poll had too little time left', async () => {
    await stand.enqueue('1');
    stand.refusals = [paced(6000)];
    expect(await stand.poll(7000)).toEqual({ kind: 'nothing' });
    expect(stand.orders).toHaveLength(1);
    expect(await stand.traces()).toEqual(nothingLeft);
    expect(await stand.poll(7000)).toMatchObject({ kind: 'served' });
  });
});
