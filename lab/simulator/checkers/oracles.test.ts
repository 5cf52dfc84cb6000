import { describe, expect, it } from 'vitest';
import { Budgets } from './budgets.ts';
import { Canaries } from './secret-leaks.ts';
import { differenceOf } from './differences.ts';
import { growthOf, leakOf } from './leaks.ts';
import { ReachabilityCounts } from './reachability.ts';

describe('the difference of two states', () => {
  it.for([
    [{ a: 1, b: [1, { c: 'x' }] }, { b: [1, { c: 'x' }], a: 1 }, undefined],
    [{ a: 1 }, { a: 2 }, 'a is 1, without faults 2'],
    [{ a: { b: [1, 2] } }, { a: { b: [1] } }, 'a.b[1] is 2, without faults absent'],
    [{}, { a: null }, 'a is absent, without faults null'],
    ['x', ['x'], 'it is "x", without faults ["x"]'],
  ] as const)('%j beside %j: %s', ([got, wanted, text]) => {
    expect(differenceOf(got, wanted)).toBe(text);
  });
});

describe('held resources', () => {
  it('are a leak when clearly more is held than without faults', () => {
    expect(leakOf({ timers: 5, watches: 2 }, { timers: 2, watches: 2 })).toBeUndefined();
    expect(leakOf({ timers: 6, watches: 4 }, { timers: 2 })).toBe(
      'timers: 6, without faults 2; watches: 4, without faults 0',
    );
  });

  it('grow when the second half of a run holds clearly more than the first', () => {
    const samples = (...counts: readonly number[]) => counts.map((rows) => ({ rows }));
    expect(growthOf(samples(10, 12, 15, 16))).toBeUndefined();
    expect(growthOf(samples(10, 12, 22, 30))).toBe('rows: 10 12 22 30');
  });
});

it('a budget is exceeded once per window with too many calls', () => {
  const reported: string[] = [];
  const budget = { calls: 'kube update', most: 2, perMs: 1000 };
  const budgets = new Budgets([budget], (message) => void reported.push(message));
  const sent = (operation: string, now: number): void =>
    budgets.sent(
      {
        id: '',
        key: 0,
        process: '',
        service: 'kube',
        operation,
        about: '',
        isWrite: true,
        kinds: [],
        link: 'kube',
      },
      now,
    );
  for (const now of [0, 500, 1000, 1500]) sent('update pods', now);
  for (let round = 0; round < 9; round += 1) sent('get pods', 1600);
  expect(reported).toEqual([]);
  for (const now of [1800, 1900]) sent('update nodes', now);
  expect(reported).toEqual(['more than 2 calls of kube update within 1000 ms']);
});

it('finds a canary in any text, and builds the text only when a canary exists', () => {
  const reported: string[] = [];
  const canaries = new Canaries({ next: () => 0.5 }, (message) => void reported.push(message));
  canaries.look('a log', () => expect.fail('no canary was planted'));
  const secret = canaries.plant('token');
  canaries.look('a log', () => 'nothing here');
  canaries.look('an event', () => `Bearer ${secret}!`);
  expect(reported).toEqual(['the secret token can be read in an event']);
});

it('the reachability table shows what never happened', () => {
  const [all, run] = [new ReachabilityCounts(), new ReachabilityCounts()];
  run.declare('fault crash', 'fault pause');
  run.happened('fault crash');
  run.happened('premise x');
  all.add(run);
  all.add(run);
  expect(all.rows).toEqual({ 'fault crash': 2, 'fault pause': 0, 'premise x': 2 });
  expect(all.zeros).toEqual(['fault pause']);
});
