/** Waiting polls are tried together, woken at once, and never lose a claim that was won for them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { drain } from '../../../lab/harness/drain.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import type { ClaimAnswer, ClaimRequest } from '../store/port.ts';
import { MemoryStore } from '../store/model/memory-store.ts';
import type { JobDraft } from '../store/rows.ts';
import { ParkedPolls, type NotAttempted } from './parked-polls.ts';

const startedAt = Date.UTC(2026, 0, 1);
let clock: TestClock;
let store: MemoryStore;
let asked: ClaimRequest[];
let parkedPolls: ParkedPolls;
/** Claims block while this is unresolved. */
let gate: Promise<void>;

beforeEach(async () => {
  clock = new TestClock(startedAt);
  store = new MemoryStore();
  asked = [];
  gate = Promise.resolve();
  let generations = 0;
  parkedPolls = new ParkedPolls({
    store: {
      claim: async (request) => {
        asked.push(request);
        await gate;
        return store.claim(request);
      },
    },
    clock,
    newGeneration: () => `g${(generations += 1)}`,
    except: () => ({ jobs: new Set(), repositories: new Set(), accounts: new Set() }),
  });
  await store.apply({
    kind: 'install',
    account: { id: '1', login: 'org' },
    installation: { id: '1', accountId: '1', state: 'active' },
  });
  await store.setLimit({ accountId: '1', platform: 'linux', vcpus: 1000, memoryGb: 1000 });
});

function wait(name: string, signal = new AbortController().signal): Promise<ClaimAnswer | NotAttempted> {
  return parkedPolls.wait({ pool: 'linux', pod: { name, uid: name }, waitMs: 8000, signal });
}

async function enqueue(id: string): Promise<void> {
  const job: JobDraft = {
    id,
    accountId: '1',
    installationId: '1',
    pool: 'linux',
    shape: { platform: 'linux', vcpus: 1, memoryGb: 1 },
    label: 'linux',
    repository: 'org/repo',
    runId: '1',
    runAttempt: 1,
    workflow: '',
    name: '',
    branch: '',
    commit: '',
    queuedAt: startedAt,
  };
  await store.apply({ kind: 'enqueue', job });
}

it('gives a queued job to an arriving Pod', async () => {
  await enqueue('j');
  expect(await wait('a')).toMatchObject({ kind: 'claimed', job: { id: 'j' } });
});

it('answers nothing when the time of a poll is over, and not before', async () => {
  const answer = wait('a');
  await drain();
  expect(parkedPolls.size).toBe(1);
  await clock.pass(8000);
  expect(await answer).toMatchObject({ kind: 'nothing' });
  expect(parkedPolls.size).toBe(0);
});

it('gives a job to the longest waiting poll, as soon as the pool is woken', async () => {
  const answers = [wait('a'), wait('b')];
  await drain();
  await enqueue('j');
  parkedPolls.wake('linux');
  expect(await answers[0]).toMatchObject({ kind: 'claimed', pod: { name: 'a' } });
  expect(parkedPolls.size).toBe(1);
});

it('is not woken by another pool, and is by a wake without a name', async () => {
  void wait('a');
  await drain();
  const before = asked.length;
  parkedPolls.wake('macos');
  await drain();
  expect(asked.length).toBe(before);
  parkedPolls.wake();
  await drain();
  expect(asked.length).toBe(before + 1);
});

it('tries all polls that came while the store was busy in one request', async () => {
  const open = Promise.withResolvers<void>();
  gate = open.promise;
  const answers = ['a', 'b', 'c', 'd'].map((name) => wait(name));
  for (const id of ['1', '2', '3', '4']) await enqueue(id);
  open.resolve();
  expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(Array(4).fill('claimed'));
  expect(asked.map(({ pods }) => pods.length)).toEqual([1, 3]);
});

it('continues with the next batch when a whole batch was answered', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `pod-${index}`);
  const answers = names.map((name) => wait(name));
  await drain();
  for (const name of names) await enqueue(`job-${name}`);
  parkedPolls.wake('linux');
  expect((await Promise.all(answers)).every(({ kind }) => kind === 'claimed')).toBe(true);
});

it('tries once more after a wake during a request', async () => {
  const open = Promise.withResolvers<void>();
  const answer = wait('a');
  await drain();
  gate = open.promise;
  parkedPolls.wake('linux');
  await drain();
  parkedPolls.wake('linux');
  await enqueue('j');
  open.resolve();
  expect(await answer).toMatchObject({ kind: 'claimed' });
});

it('returns a claim that was won after the Pod disconnected, so that the caller releases it', async () => {
  const leaving = new AbortController();
  const open = Promise.withResolvers<void>();
  gate = open.promise;
  await enqueue('j');
  const answer = wait('a', leaving.signal);
  leaving.abort();
  open.resolve();
  expect(await answer).toMatchObject({ kind: 'claimed' });
});

it('drops a Pod that disconnected while it was only waiting', async () => {
  const leaving = new AbortController();
  const answer = wait('a', leaving.signal);
  await drain();
  leaving.abort();
  expect(await answer).toMatchObject({ kind: 'nothing' });
});

describe('answers that a poll was not tried', () => {
  it('after close', async () => {
    parkedPolls.close();
    expect(await wait('a')).toEqual({ kind: 'not-attempted' });
  });

  it('when the Pod disconnects before its batch, while others are tried', async () => {
    const open = Promise.withResolvers<void>();
    gate = open.promise;
    const others = wait('a');
    const leaving = new AbortController();
    const late = wait('b', leaving.signal);
    leaving.abort();
    expect(await late).toEqual({ kind: 'not-attempted' });
    open.resolve();
    await clock.pass(8000);
    expect(await others).toMatchObject({ kind: 'nothing' });
  });
});

it('keeps one entry for a Pod that polls again', async () => {
  const first = wait('a');
  await drain();
  const second = wait('a');
  expect(await first).toMatchObject({ kind: 'nothing' });
  await enqueue('j');
  parkedPolls.wake('linux');
  expect(await second).toMatchObject({ kind: 'claimed' });
});

it('fails all polls of the request when the store fails, and serves the next', async () => {
  const failure = new Error('no database');
  gate = Promise.reject(failure);
  await expect(wait('a')).rejects.toBe(failure);
  gate = Promise.resolve();
  await enqueue('j');
  expect(await wait('a')).toMatchObject({ kind: 'claimed' });
});

it('tries a poll without waiting time at once, however many wait before it', async () => {
  const others = Array.from({ length: 64 }, (_, index) => wait(`other-${index}`));
  await drain();
  const { signal } = new AbortController();
  const answer = parkedPolls.wait({ pool: 'linux', pod: { name: 'a', uid: 'a' }, waitMs: 0, signal });
  await drain();
  expect(asked.at(-1)?.pods.map(({ name }) => name)).toContain('a');
  expect(await answer).toMatchObject({ kind: 'nothing' });
  parkedPolls.close();
  await Promise.all(others);
});
