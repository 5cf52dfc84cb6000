/**
 * Test files that keep all processors busy for long, or kill processes at moments that they count in work done. Each has
 * the machine for itself, after all other files.
 */
export const exclusiveTests: readonly string[] = [
  'test/stress/stress.integration.test.ts',
  'test/stress/stress.test.ts',
  'test/integration/hosts/real-fleet.integration.test.ts',
  'test/integration/runners/jobs-under-kills.integration.test.ts',
];
