import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * These keep all processors busy for long, or kill processes at moments that they count in work done, so each has the
 * machine for itself, after all others.
 */
export const alone = [
  'src/dispatch/store/postgres/postgres-store.judged.test.ts',
  'test/hammer/hammer.judged.test.ts',
  'test/hosts/real-fleet.judged.test.ts',
  'test/hosts/same-name.judged.test.ts',
  'test/runners/jobs-under-kills.judged.test.ts',
];

/** One more than there are processors: the files with servers wait for most of their time. */
const maxWorkers = availableParallelism() + 1;

/** No test may depend on how fast it is, so a limit only ends what hangs. */
const limits = { testTimeout: 600_000, hookTimeout: 600_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['test/tidy/fixtures/**', '**/*.judged.test.ts', 'node_modules/**'],
          maxWorkers,
          sequence: { groupOrder: 0 },
          ...limits,
        },
      },
      {
        test: {
          name: 'judged',
          include: ['**/*.judged.test.ts'],
          exclude: ['node_modules/**', ...alone],
          maxWorkers,
          sequence: { groupOrder: 0 },
          ...limits,
        },
      },
      {
        test: {
          name: 'alone',
          include: alone,
          exclude: ['node_modules/**'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          ...limits,
        },
      },
    ],
  },
});
