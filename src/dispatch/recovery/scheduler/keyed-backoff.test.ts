import { expect, it } from 'vitest';
import { KeyedBackoff } from './keyed-backoff.ts';

it('each time that is in vain the wait is twice as long, up to the most', () => {
  const asked = new KeyedBackoff(1000, 3000);
  const waits: number[] = [];
  let at = 0;
  for (let index = 0; index < 4; index += 1) {
    asked.note('a', at);
    let waitMs = 0;
    while (!asked.isDue('a', at + waitMs)) waitMs += 500;
    waits.push(waitMs);
    at += waitMs;
  }
  expect(waits).toEqual([1000, 2000, 3000, 3000]);
});

it('without a most the wait is always the same', () => {
  const asked = new KeyedBackoff(1000);
  asked.note('a', 0);
  asked.note('a', 1000);
  expect([asked.isDue('a', 1999), asked.isDue('a', 2000)]).toEqual([false, true]);
});

it('what went well begins anew', () => {
  const asked = new KeyedBackoff(1000, 8000);
  for (const at of [0, 1000, 3000]) asked.note('a', at);
  asked.forget('a');
  expect(asked.isDue('a', 3000)).toBe(true);
  asked.note('a', 3000);
  expect(asked.isDue('a', 4000)).toBe(true);
});

it('those never asked about come first, then those that were longest ago', () => {
  const asked = new KeyedBackoff(1000);
  asked.note('a', 200);
  asked.note('b', 100);
  expect(asked.roundRobin(['a', 'b', 'c', 'd'], (id) => id)).toEqual(['c', 'd', 'b', 'a']);
});

it('what was asked about long ago is forgotten', () => {
  const asked = new KeyedBackoff(1000);
  asked.note('a', 100);
  asked.note('b', 100 + 6 * 3_600_000);
  expect(asked.roundRobin(['b', 'a', 'c'], (id) => id)).toEqual(['a', 'c', 'b']);
  expect(asked.roundRobin(['c', 'a'], (id) => id)).toEqual(['c', 'a']);
});
