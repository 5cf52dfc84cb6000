import { expect, it } from 'vitest';
import { KeyedBackoff } from './keyed-backoff.ts';

it('each attempt doubles the wait, up to the maximum', () => {
  const backoff = new KeyedBackoff(1000, 3000);
  const waits: number[] = [];
  let at = 0;
  for (let index = 0; index < 4; index += 1) {
    backoff.note('a', at);
    let waitMs = 0;
    while (!backoff.isDue('a', at + waitMs)) waitMs += 500;
    waits.push(waitMs);
    at += waitMs;
  }
  expect(waits).toEqual([1000, 2000, 3000, 3000]);
});

it('without a maximum the wait stays the same', () => {
  const backoff = new KeyedBackoff(1000);
  backoff.note('a', 0);
  backoff.note('a', 1000);
  expect([backoff.isDue('a', 1999), backoff.isDue('a', 2000)]).toEqual([false, true]);
});

it('a success resets the wait', () => {
  const backoff = new KeyedBackoff(1000, 8000);
  for (const at of [0, 1000, 3000]) backoff.note('a', at);
  backoff.forget('a');
  expect(backoff.isDue('a', 3000)).toBe(true);
  backoff.note('a', 3000);
  expect(backoff.isDue('a', 4000)).toBe(true);
});

it('ids never tried come first, then those tried longest ago', () => {
  const backoff = new KeyedBackoff(1000);
  backoff.note('a', 200);
  backoff.note('b', 100);
  expect(backoff.roundRobin(['a', 'b', 'c', 'd'], (id) => id)).toEqual(['c', 'd', 'b', 'a']);
});

it('an attempt long ago is evicted', () => {
  const backoff = new KeyedBackoff(1000);
  backoff.note('a', 100);
  backoff.note('b', 100 + 6 * 3_600_000);
  expect(backoff.roundRobin(['b', 'a', 'c'], (id) => id)).toEqual(['a', 'c', 'b']);
  expect(backoff.roundRobin(['c', 'a'], (id) => id)).toEqual(['c', 'a']);
});
