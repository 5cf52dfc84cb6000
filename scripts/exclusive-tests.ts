/**
 * Test files that keep all processors busy for long, or kill processes at moments that they count in work done. Each has
 * the machine for itself, after all other files.
 */
export const exclusiveTests: readonly string[] = [
  'test/hammer/hammer.judged.test.ts',
  'test/hammer/hammer.test.ts',
  'test/hosts/real-fleet.judged.test.ts',
  'test/runners/jobs-under-kills.judged.test.ts',
];
