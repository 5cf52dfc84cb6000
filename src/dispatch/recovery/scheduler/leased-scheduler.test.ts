/** Each worker runs on one replica at a time, at its own period, however many replicas there are. */
import { beforeEach, expect, it } from 'vitest';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { MemoryStore } from '../../store/model/memory-store.ts';
import { noon } from '../../../../lab/contracts/store/harness.ts';
import { leaseMs, LeasedScheduler, type LeasedSchedulerPorts } from './leased-scheduler.ts';
import type { Tick, Worker } from './worker.ts';

let clock: TestClock;
let store: MemoryStore;
let ran: string[];
let failed: string[];
let everyMs: number;
let work: (tick: Tick) => Promise<void>;
let isPaused: boolean;
beforeEach(() => {
  clock = new TestClock(noon);
  store = new MemoryStore();
  [ran, failed] = [[], []];
  everyMs = 60_000;
  work = async () => undefined;
  isPaused = false;
});

function replica(holder: string, via: LeasedSchedulerPorts['store'] = store): LeasedScheduler {
  const worker: Worker = {
    name: 'ghost-runners',
    everyMs,
    run: async (tick) => {
      ran.push(`${holder} at ${(tick.at - noon) / 1000}`);
      await work(tick);
    },
  };
  const leases = new LeasedScheduler(
    {
      store: via,
      clock,
      random: { next: () => 0 },
      holder,
      failed: (name) => void failed.push(name),
      isPaused: () => isPaused,
    },
    [worker],
  );
  leases.start();
  return leases;
}

it('three replicas run the worker once per period', async () => {
  for (const holder of ['a', 'b', 'c']) replica(holder);
  await clock.pass(180_000);
  expect(ran).toHaveLength(3);
});

it('a replica that starts later takes over when the first is stopped', async () => {
  const first = replica('a');
  await clock.pass(60_000);
  await first.stop();
  replica('b');
  await clock.pass(60_000);
  expect(ran).toEqual(['a at 5', 'b at 65']);
});

it('replicas that live for less than one period still run the worker', async () => {
  for (const holder of ['a', 'b', 'c', 'd']) {
    const short = replica(holder);
    await clock.pass(20_000);
    await short.stop();
  }
  expect(ran).toEqual(['a at 5', 'd at 65']);
});

it('the lease of a replica that died expires after a minute, however long the period', async () => {
  everyMs = 600_000;
  const died = { worker: 'ghost-runners', holder: 'dead', at: noon, everyMs, leaseMs: leaseMs };
  await store.acquireLease(died);
  replica('b');
  await clock.pass(50_000);
  expect(ran).toEqual([]);
  await clock.pass(25_000);
  expect(ran).toEqual(['b at 65']);
});

it('a long run keeps its lease until the run ends', async () => {
  const ending = Promise.withResolvers<void>();
  work = async () => ending.promise;
  replica('a');
  replica('b');
  await clock.pass(600_000);
  expect(ran).toEqual(['a at 5']);
  ending.resolve();
  await clock.pass(15_000);
  expect(ran).toHaveLength(2);
});

it('a replica that cannot renew its lease does not start a second run', async () => {
  const ending = Promise.withResolvers<void>();
  work = async () => ending.promise;
  const forgetful = new Proxy(store, {
    get: (inner, verb) =>
      verb === 'renewLeases' ? async () => undefined : Reflect.get(inner, verb).bind(inner),
  });
  replica('a', forgetful);
  await clock.pass(600_000);
  expect(ran).toEqual(['a at 5']);
  ending.resolve();
  await clock.pass(30_000);
  expect(ran).toHaveLength(2);
});

it('a lease is requested only when due, and an idle replica reads the leases four times a minute', async () => {
  const asked: string[] = [];
  const counted = new Proxy(store, {
    get: (inner, verb) => {
      asked.push(String(verb));
      return Reflect.get(inner, verb).bind(inner);
    },
  });
  replica('a', counted);
  await clock.pass(64_000);
  expect(asked).toEqual(['leases', 'acquireLease', 'releaseLease', 'leases', 'leases', 'leases']);
});

it('a stopping replica finishes its run, starts no other, and the next run is due on time', async () => {
  const ending = Promise.withResolvers<void>();
  work = async () => ending.promise;
  const first = replica('a');
  await clock.pass(10_000);
  const stopped = first.stop();
  ending.resolve();
  await stopped;
  expect(await store.leases()).toMatchObject([{ heldUntil: undefined, goodAt: noon + 5000 }]);
  await clock.pass(600_000);
  expect(ran).toEqual(['a at 5']);
});

it('a failed run is reported, and the next run knows the time of the last success', async () => {
  const ticks: Tick[] = [];
  let fails = false;
  work = async (tick) => {
    ticks.push(tick);
    if (fails) throw new Error('not now');
  };
  const leases = replica('a');
  await clock.pass(60_000);
  fails = true;
  await clock.pass(60_000);
  fails = false;
  await clock.pass(60_000);
  expect(failed).toEqual(['ghost-runners']);
  expect(ticks.map(({ goodAt }) => goodAt)).toEqual([undefined, noon + 5000, noon + 5000]);
  await clock.pass(30_000);
  expect(leases.ages()).toEqual([{ worker: 'ghost-runners', seconds: 25, everySeconds: 60 }]);
});

it('a paused worker does not run, and its age is still reported', async () => {
  isPaused = true;
  const leases = replica('a');
  await clock.pass(600_000);
  expect(ran).toEqual([]);
  expect(leases.ages()).toEqual([{ worker: 'ghost-runners', seconds: 600, everySeconds: 60 }]);
});
