import { expect, it } from 'vitest';
import { testSizeIn } from '../../lab/harness/test-size.ts';

it.for([
  [undefined, 'small'],
  ['', 'small'],
  ['small', 'small'],
  ['full', 'full'],
] as const)('MUSTER_TEST_SIZE=%s runs the %s size', ([value, size]) => {
  expect(testSizeIn({ MUSTER_TEST_SIZE: value })).toBe(size);
});

it('refuses any other word, and names the two', () => {
  expect(() => testSizeIn({ MUSTER_TEST_SIZE: 'big' })).toThrow(
    'MUSTER_TEST_SIZE is "big"; set it to small or full, or unset it',
  );
});
