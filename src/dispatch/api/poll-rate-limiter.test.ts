import { expect, it } from 'vitest';
import { PollRateLimiter } from './poll-rate-limiter.ts';

const pod = { name: 'linux-1', uid: 'u1' };
const other = { name: 'linux-2', uid: 'u2' };

function polledUntilRefused(pace: PollRateLimiter, now: number): number {
  for (let count = 0; count < 1000; count += 1)
    try {
      pace.count(pod, now);
    } catch {
      return count;
    }
  return Infinity;
}

it('a Pod may burst and then has to pause, whatever other Pods do', () => {
  const pace = new PollRateLimiter();
  expect(polledUntilRefused(pace, 1000)).toBe(20);
  expect(() => pace.count(other, 1000)).not.toThrow();
  expect(() => pace.count(pod, 1000)).toThrow(/linux-1 polls too often/);
});

it('each half second of pause allows one more poll', () => {
  const pace = new PollRateLimiter();
  polledUntilRefused(pace, 1000);
  expect(polledUntilRefused(pace, 1499)).toBe(0);
  expect(polledUntilRefused(pace, 1500)).toBe(1);
  expect(polledUntilRefused(pace, 3500)).toBe(4);
  expect(polledUntilRefused(pace, 60_000)).toBe(20);
});
