/** The capacity of a fleet, shared among its pools. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { allocate, type Claimant } from './allocate.ts';
import { loadOf, targetOf, type Signals } from './target.ts';

type Row = readonly [cost: number, floor: number, load: number, target: number];

function pools(...rows: readonly Row[]): readonly Claimant[] {
  return rows.map(([cost, floor, load, target], index) => ({ name: `${index}`, cost, floor, load, target }));
}

function granted(claimants: readonly Claimant[], capacity: number): readonly number[] {
  return [...allocate(claimants, capacity).values()];
}

it.for([
  [
    'there is capacity for all',
    [
      [2, 1, 2, 5],
      [4, 1, 1, 4],
    ],
    100,
    [5, 4],
  ],
  [
    'load is granted beyond the capacity',
    [
      [16, 1, 3, 6],
      [16, 1, 2, 5],
    ],
    32,
    [3, 2],
  ],
  [
    'warm Pods come before history',
    [
      [8, 1, 6, 8],
      [8, 1, 0, 5],
    ],
    64,
    [6, 1],
  ],
  [
    'warm Pods share what load has not used',
    [
      [8, 20, 0, 25],
      [16, 0, 10, 10],
    ],
    200,
    [5, 10],
  ],
  [
    'history is shared in proportion to the wants',
    [
      [4, 1, 0, 5],
      [4, 1, 0, 3],
    ],
    20,
    [3, 2],
  ],
  ['one pool alone', [[1, 1, 0, 2]], 1000, [2]],
  [
    'no capacity at all',
    [
      [4, 2, 3, 5],
      [4, 2, 0, 5],
    ],
    0,
    [3, 0],
  ],
  ['a pool without cost gets its load and no more', [[0, 2, 1, 5]], 100, [1]],
  ['no pools', [], 100, []],
] as const satisfies readonly (readonly [string, readonly Row[], number, readonly number[]])[])(
  '%s',
  ([, rows, capacity, expected]) => {
    expect(granted(pools(...rows), capacity)).toEqual(expected);
  },
);

const quiet: Signals = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };
const full: Signals = { ...quiet, claimed: 9, occupied: 9, p95: 9 };

function mac(name: string, signals: Signals, floor = 0): Claimant {
  return { name, cost: 1, floor, load: loadOf(signals), target: targetOf(signals, { floor, max: 9 }) };
}

it.for([
  ['each pool with withheld jobs gets one Pod', [{ withheld: 1 }, { withheld: 1 }], [9, 1, 1]],
  ['pools without load get none', [{}, {}], [9, 0, 0]],
  ['queued jobs count in addition', [{ queued: 3, withheld: 5 }], [9, 4]],
] as const satisfies readonly (readonly [string, readonly Partial<Signals>[], readonly number[]])[])(
  'on nine Macs that are all in use, %s',
  ([, others, expected]) => {
    const waiting = others.map((more, index) => mac(`other-${index}`, { ...quiet, ...more }));
    expect(granted([mac('busy', full, 1), ...waiting], 9)).toEqual(expected);
  },
);

it('every pool gets at least its load and at most its target; beyond the load nothing exceeds the capacity', () => {
  const amount = fc.nat(60);
  const row = fc.tuple(fc.nat(20), amount, amount, amount);
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), fc.nat(2000), (rows, capacity) => {
      const claimants = pools(...rows);
      const shares = allocate(claimants, capacity);
      expect([...shares.keys()]).toEqual(claimants.map(({ name }) => name));
      const work = ({ load, target }: Claimant): number => Math.min(load, target);
      for (const one of claimants) {
        const share = shares.get(one.name) ?? Number.NaN;
        expect(share).toBeGreaterThanOrEqual(work(one));
        expect(share).toBeLessThanOrEqual(one.target);
        expect(Number.isInteger(share)).toBe(true);
      }
      const used = claimants.reduce((sum, one) => sum + (shares.get(one.name) ?? 0) * one.cost, 0);
      const needed = claimants.reduce((sum, one) => sum + work(one) * one.cost, 0);
      expect(used).toBeLessThanOrEqual(Math.max(needed, capacity));
    }),
  );
});
