/** The test files that have a full size beside the small one of `npm test`; `npm run acceptance:long` runs them in full. */
export const longTests: readonly string[] = [
  'src/dispatch/store/postgres/postgres-store.integration.test.ts',
  'test/mutation/mutation.test.ts',
  'test/stress/stress.integration.test.ts',
  'test/stress/stress.test.ts',
  'test/integration/hosts/real-fleet.integration.test.ts',
  'test/integration/hosts/same-name.integration.test.ts',
  'test/integration/runners/jobs-under-kills.integration.test.ts',
];
