/** Each worker runs on one replica at a time and as often as it says, however many replicas there are. */
import { beforeEach, expect, it } from 'vitest';
import { TestClock } from '../../../test/test-clock.ts';
import { MemoryStore } from '../store/contract/model/memory-store.ts';
import { noon } from '../store/contract/stage.ts';
import { Turns } from './turns.ts';
import type { Tick, Worker } from './worker.ts';

let clock: TestClock;
let store: MemoryStore;
let ran: string[];
let failed: string[];
let work: (tick: Tick) => Promise<void>;
beforeEach(() => {
  clock = new TestClock(noon);
  store = new MemoryStore();
  [ran, failed] = [[], []];
  work = async () => undefined;
});

function replica(holder: string): Turns {
  const worker: Worker = {
    name: 'ghost-runners',
    everyMs: 60_000,
    run: async (tick) => {
      ran.push(`${holder} at ${(tick.at - noon) / 1000}`);
      await work(tick);
    },
  };
  const turns = new Turns({ store, clock, holder, failed: (name) => void failed.push(name) }, [worker]);
  turns.start();
  return turns;
}

it('three replicas do not do it three times', async () => {
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

it('replicas that live for less than the time between two turns have them all the same', async () => {
  for (const holder of ['a', 'b', 'c', 'd']) {
    const short = replica(holder);
    await clock.pass(20_000);
    await short.stop();
  }
  expect(ran).toEqual(['a at 5', 'd at 65']);
});

it('a turn that never ends is lost after a while', async () => {
  const forever = Promise.withResolvers<void>();
  work = async () => forever.promise;
  replica('dies');
  await clock.pass(60_000);
  work = async () => undefined;
  replica('b');
  await clock.pass(60_000);
  expect(ran).toEqual(['dies at 5']);
  await clock.pass(60_000);
  expect(ran).toEqual(['dies at 5', 'b at 125']);
});

it('a turn that failed is told of, and the next one knows when the last good one was', async () => {
  const ticks: Tick[] = [];
  let fails = false;
  work = async (tick) => {
    ticks.push(tick);
    if (fails) throw new Error('not now');
  };
  const turns = replica('a');
  await clock.pass(60_000);
  fails = true;
  await clock.pass(60_000);
  fails = false;
  await clock.pass(60_000);
  expect(failed).toEqual(['ghost-runners']);
  expect(ticks.map(({ goodAt }) => goodAt)).toEqual([undefined, noon + 5000, noon + 5000]);
  await clock.pass(30_000);
  expect(turns.ages()).toEqual([{ worker: 'ghost-runners', seconds: 25 }]);
});
