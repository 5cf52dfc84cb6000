import { defineConfig } from 'vitest/config';

/** Judged suites own ports, processes and half a gigabyte each, so their files run one after another. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['test/tidy/fixtures/**', '**/*.judged.test.ts', 'node_modules/**'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'judged',
          include: ['**/*.judged.test.ts'],
          exclude: ['node_modules/**'],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
