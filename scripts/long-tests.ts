/** The test files that have a full size beside the small one of `npm test`; `npm run acceptance:long` runs them in full. */
export const longTests: readonly string[] = [
  'src/dispatch/store/postgres/postgres-store.judged.test.ts',
  'test/mutation/mutation.test.ts',
  'test/hammer/hammer.judged.test.ts',
  'test/hammer/hammer.test.ts',
  'test/hosts/real-fleet.judged.test.ts',
  'test/runners/jobs-under-kills.judged.test.ts',
];
