import { expect, it } from 'vitest';
import { backoffMs, jitteredBackoffMs } from './backoff.ts';

const backoff = { firstMs: 500, maxMs: 30_000 };

it('doubles with each failure, up to the limit', () => {
  const waits = [1, 2, 3, 6, 7, 1000].map((failures) => backoffMs(backoff, failures));
  expect(waits).toEqual([500, 1000, 2000, 16_000, 30_000, 30_000]);
});

it.for([
  [0, 500],
  [0.5, 750],
  [0.999, 999.5],
] as const)('waits between half and all of it: %d draws %d of 1000 ms', ([drawn, waitMs]) => {
  expect(jitteredBackoffMs(backoff, 2, { next: () => drawn })).toBe(waitMs);
});
