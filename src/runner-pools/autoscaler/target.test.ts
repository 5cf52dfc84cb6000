/** The number of Pods that a pool needs by itself. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadOf, targetOf, warmDeficit, type Signals } from './target.ts';

function reported(
  ...[claimed, occupied, queued, withheld, p95]: readonly [number, number, number, number, number]
) {
  return { claimed, occupied, queued, withheld, p95 };
}

it.for([
  ['a maximum of 0 is none at all', reported(5, 0, 3, 0, 4), 2, 0, 0],
  ['history and warm Pods', reported(0, 0, 0, 0, 5), 1, 30, 6],
  ['warm Pods alone', reported(0, 0, 0, 0, 0), 3, 30, 3],
  ['warm Pods are added once', reported(0, 0, 0, 0, 1), 3, 30, 4],
  ['Pods in use are part of history', reported(5, 0, 0, 0, 5), 1, 30, 6],
  ['load beats history', reported(8, 0, 3, 0, 5), 1, 30, 12],
  ['Pods in use beat claims', reported(1, 3, 2, 0, 0), 1, 30, 6],
  ['a queue alone', reported(0, 0, 10, 0, 5), 1, 30, 11],
  ['the maximum', reported(25, 0, 10, 0, 5), 2, 20, 20],
  ['nothing', reported(0, 0, 0, 0, 0), 0, 30, 0],
  ['one withheld job', reported(0, 0, 0, 1, 0), 0, 30, 1],
  ['many withheld jobs', reported(0, 0, 0, 40, 0), 0, 30, 1],
  ['all of it', reported(4, 4, 2, 9, 0), 1, 30, 8],
  ['a full pool with withheld jobs', reported(30, 30, 0, 5, 0), 1, 30, 30],
] as const)('the target of %s', ([, signals, floor, max, target]) => {
  expect(targetOf(signals, { floor, max })).toBe(target);
});

it.for([
  [17, 30, 60, 60, 0],
  [17, 30, 60, 26, 21],
  [17, 30, 60, 10, 30],
  [17, 30, 60, 47, 0],
  [5, 0, 5, 5, 0],
  [0, 30, 10, 4, 6],
  [-3, 5, 5, 5, 0],
] as const)('load %d, idle %d, target %d, allocated %d: %d idle ones are missing', (row) => {
  const [load, floor, target, allocated, missing] = row;
  expect(warmDeficit({ load, floor, target, allocated })).toBe(missing);
});

const amount = fc.nat(200);
const signals: fc.Arbitrary<Signals> = fc.record({
  claimed: amount,
  occupied: amount,
  queued: amount,
  withheld: amount,
  p95: amount,
});

it('no target is below zero or above the maximum, and below the maximum the load always fits', () => {
  fc.assert(
    fc.property(
      signals,
      fc.integer({ min: -5, max: 50 }),
      fc.integer({ min: -5, max: 300 }),
      (said, floor, max) => {
        const target = targetOf(said, { floor, max });
        expect(target).toBeGreaterThanOrEqual(0);
        expect(target).toBeLessThanOrEqual(Math.max(0, max));
        expect(target).toBeGreaterThanOrEqual(Math.min(max, loadOf(said) + Math.min(0, floor)));
      },
    ),
  );
});
