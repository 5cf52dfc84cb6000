/** How often a failure that repeats every two seconds is reported. */
import { expect, it } from 'vitest';
import { RepeatedFailures } from './repeated-failures.ts';

const second = 1000;

function reported(...failures: readonly (readonly [at: number, message: string])[]): readonly number[] {
  let now = 0;
  const repeated = new RepeatedFailures({ now: () => now });
  return failures.flatMap(([at, message]) => {
    now = at * second;
    return repeated.isDue({ message }) ? [at] : [];
  });
}

it('a failure that repeats is reported once a minute', () => {
  const failures = Array.from({ length: 100 }, (_, index) => [index * 2, 'a'] as const);
  expect(reported(...failures)).toEqual([0, 60, 120, 180]);
});

it('another failure is reported at once', () => {
  expect(reported([0, 'a'], [2, 'b'], [4, 'b'], [6, 'a'])).toEqual([0, 2, 6]);
});

it('a clock that was set back silences no failure', () => {
  expect(reported([7200, 'a'], [0, 'a'], [2, 'a'])).toEqual([7200, 0]);
});
