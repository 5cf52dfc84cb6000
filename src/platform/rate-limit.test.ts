import { expect, it } from 'vitest';
import { settable } from '../../lab/harness/clock-set-back.ts';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { RateLimit } from './rate-limit.ts';

const start = Date.UTC(2026, 0, 1);

function harness() {
  const clock = new TestClock(start);
  const { own, setBack } = settable(clock);
  const limit = new RateLimit(own, { perSecond: 10, burst: 5 });
  const gone: number[] = [];
  const come = (count: number): void => {
    for (let number = 0; number < count; number += 1)
      void limit.round().then(() => gone.push(clock.now() - start));
  };
  return { clock, gone, come, setBack };
}

it('allows the burst at once, and then requests at equal intervals', async () => {
  const { clock, gone, come } = harness();
  come(8);
  await clock.settle();
  expect(gone).toEqual([0, 0, 0, 0, 0]);
  await clock.pass(10_000);
  expect(gone).toEqual([0, 0, 0, 0, 0, 100, 200, 300]);
});

it('queues late requests behind waiting ones', async () => {
  const { clock, gone, come } = harness();
  come(7);
  await clock.settle();
  await clock.pass(50);
  come(1);
  await clock.settle();
  await clock.pass(10_000);
  expect(gone.slice(5)).toEqual([100, 200, 300]);
});

it('a pause refills the burst, and no more', async () => {
  const { clock, gone, come } = harness();
  come(5);
  await clock.pass(60_000);
  gone.length = 0;
  come(6);
  await clock.settle();
  expect(gone).toHaveLength(5);
});

it('a clock that is set back by an hour does not stop requests for an hour', async () => {
  const { clock, gone, come, setBack } = harness();
  come(5);
  await clock.settle();
  setBack(3_600_000);
  come(2);
  await clock.settle();
  await clock.pass(1000);
  expect(gone.slice(5)).toEqual([100, 200]);
});
