/**
 * How much of a long test runs. `npm test` runs the small size of each; `npm run acceptance:long` sets
 * MUSTER_TEST_SIZE=full and runs the whole.
 */
export type TestSize = 'small' | 'full';

export const testSizeVariable = 'MUSTER_TEST_SIZE';

/** Only the exact word selects the full size, so that a typo does not start a run of an hour. */
export function testSizeIn(env: Readonly<Record<string, string | undefined>>): TestSize {
  const asked = env[testSizeVariable] || 'small';
  if (asked === 'small' || asked === 'full') return asked;
  throw new Error(`${testSizeVariable} is ${JSON.stringify(asked)}; set it to small or full, or unset it`);
}

export function bySize<T>(sizes: Readonly<Record<TestSize, T>>): T {
  return sizes[testSizeIn(process.env)];
}
