/** Test files with a small size for `npm test` and a full size for `npm run acceptance:long`. */
export const longTests: readonly string[] = [
  'src/dispatch/store/postgres/postgres-store.integration.test.ts',
  'src/hosts/bootstrap/steps/bootstrap.test.ts',
  'test/mutation/mutation.test.ts',
  'test/stress/stress.integration.test.ts',
  'test/stress/stress.test.ts',
  'test/integration/hosts/real-fleet.integration.test.ts',
  'test/integration/hosts/same-name.integration.test.ts',
  'test/integration/runners/jobs-under-kills.integration.test.ts',
];
