import { expect, it } from 'vitest';
import { settable } from '../../../lab/harness/clock-set-back.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { FifoRateLimiter } from './fifo-rate-limiter.ts';

const start = Date.UTC(2026, 0, 1);

function harness() {
  const clock = new TestClock(start);
  const { own, setBack } = settable(clock);
  const line = new FifoRateLimiter(own, { perSecond: 10, burst: 5 });
  const gone: string[] = [];
  const come = (name: string, signal?: AbortSignal): void =>
    void line.slot(signal).then((isDue) => gone.push(`${name} ${isDue ? clock.now() - start : 'left'}`));
  const crowd = (count: number): void => {
    for (let number = 1; number <= count; number += 1) come(`${number}`);
  };
  return { clock, line, gone, come, crowd, setBack };
}

it('a burst passes at once, and then one caller after the other in equal steps', async () => {
  const { clock, gone, crowd } = harness();
  crowd(8);
  await clock.settle();
  expect(gone).toEqual(['1 0', '2 0', '3 0', '4 0', '5 0']);
  await clock.pass(10_000);
  expect(gone.slice(5)).toEqual(['6 100', '7 200', '8 300']);
});

it('the predicted slot of a new caller is the slot that it gets', async () => {
  const { clock, line, gone, come, crowd } = harness();
  expect(line.nextSlotAt()).toBe(start);
  crowd(5);
  expect(line.nextSlotAt()).toBe(start + 100);
  crowd(3);
  await clock.pass(150);
  const dueAt = line.nextSlotAt();
  come('late');
  await clock.pass(10_000);
  expect(gone.at(-1)).toBe(`late ${dueAt - start}`);
  expect(dueAt - start).toBe(400);
});

it('an aborted caller is gone at once, and later callers move up', async () => {
  const { clock, line, gone, come, crowd } = harness();
  const leaving = new AbortController();
  crowd(5);
  come('leaves', leaving.signal);
  come('stays');
  await clock.settle();
  leaving.abort();
  await clock.settle();
  expect(gone.slice(5)).toEqual(['leaves left']);
  expect(line.nextSlotAt()).toBe(start + 200);
  await clock.pass(100);
  expect(gone.slice(6)).toEqual(['stays 100']);
});

it('a caller that is already aborted takes no slot', async () => {
  const { clock, line, gone, come, crowd } = harness();
  crowd(4);
  come('leaves', AbortSignal.abort());
  await clock.settle();
  expect(gone).toContain('leaves left');
  expect(line.nextSlotAt()).toBe(start);
});

it('an abort after the slot changes nothing', async () => {
  const { clock, line, gone, come } = harness();
  const leaving = new AbortController();
  come('had its slot', leaving.signal);
  await clock.settle();
  leaving.abort();
  await clock.settle();
  expect(gone).toEqual(['had its slot 0']);
  expect(line.nextSlotAt()).toBe(start);
});

it('a clock that is set back blocks no caller', async () => {
  const { clock, gone, crowd, setBack } = harness();
  crowd(6);
  setBack(3_600_000);
  await clock.pass(1000);
  expect(gone).toHaveLength(6);
});
