/** How many Pods of a pool may be replaced at once, and when a rollout is stalled. */
import { expect, it } from 'vitest';
import { macPool, now, pod, pool } from '../../../lab/harness/pool-samples.ts';
import { PoolMemory } from './expectations.ts';
import { rollCap, rollOf } from './rollout.ts';

it.for([
  [9, 5, 1],
  [20, 5, 1],
  [21, 5, 1],
  [40, 5, 2],
  [100, 5, 5],
  [40, 10, 4],
  [10, 5, 1],
  [0, 5, 1],
  [-3, 5, 1],
  [9, 0, 1],
] as const)('of %d Pods at %d percent, %d', ([replicas, percent, cap]) => {
  expect(rollCap(replicas, percent)).toBe(cap);
});

const old = (status: object) => pod({ image: 'old', status });

it('pending Pods are replaced before running Pods are marked, both together within the cap', () => {
  const spec = { os: 'darwin', runtimeClass: undefined, replicas: 5, rollout: { maxConcurrentPercent: 60 } };
  const [pending, ...running] = [
    old({ phase: 'Pending' }),
    ...Array.from({ length: 4 }, () => old({ phase: 'Running' })),
  ];
  const { retired, marked, cap } = rollOf([...running, pending], pool(spec));
  expect([cap, retired, marked.length]).toEqual([3, [pending], 2]);
});

it('without old Pods nothing is rolling, whatever Pods are missing or not ready', () => {
  expect(rollOf([pod()], pool({ replicas: 4 })).rolling).toBe(0);
  expect(rollOf([pod(), old({ phase: 'Running' })], macPool()).rolling).toBe(1);
});

it('a rollout is stalled since its last removal, not since its start', () => {
  const memory = new PoolMemory();
  const [one, other] = [old({ phase: 'Running' }), old({ phase: 'Running' })];
  expect(memory.rollSince('a/b', [one, other], now)).toBe(now);
  expect(memory.rollSince('a/b', [one, other], now + 5000)).toBe(now);
  expect(memory.rollSince('a/b', [one], now + 9000)).toBe(now + 9000);
  expect(memory.rollSince('a/b', [one], now + 99_000)).toBe(now + 9000);
  expect(memory.rollSince('a/b', [], now + 100_000)).toBeUndefined();
  expect(memory.rollSince('a/b', [other], now + 200_000)).toBe(now + 200_000);
});
