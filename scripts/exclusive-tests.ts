/**
 * Test files that load all processors for long, or kill processes after an amount of work. They run alone, one by one,
 * after all other files.
 */
export const exclusiveTests: readonly string[] = [
  'test/stress/stress.integration.test.ts',
  'test/stress/stress.test.ts',
  'test/integration/hosts/real-fleet.integration.test.ts',
  'test/integration/runners/jobs-under-kills.integration.test.ts',
];
