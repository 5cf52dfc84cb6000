import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { exclusiveTests } from './scripts/exclusive-tests.ts';
import { MixedSequencer } from './scripts/mixed-sequencer.ts';

/** One more than there are processors: the files with servers wait for most of their time. */
const maxWorkers = availableParallelism() + 1;

/** No test may depend on how fast it is, so a limit only ends what hangs. */
const limits = { testTimeout: 600_000, hookTimeout: 600_000 };

export default defineConfig({
  test: {
    sequence: { sequencer: MixedSequencer },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'lab/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [
            'test/architecture/fixtures/**',
            '**/*.integration.test.ts',
            'node_modules/**',
            ...exclusiveTests,
          ],
          maxWorkers,
          sequence: { groupOrder: 0 },
          ...limits,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['**/*.integration.test.ts'],
          exclude: ['node_modules/**', ...exclusiveTests],
          maxWorkers,
          sequence: { groupOrder: 0 },
          ...limits,
        },
      },
      {
        test: {
          name: 'exclusive',
          include: [...exclusiveTests],
          exclude: ['node_modules/**'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          ...limits,
        },
      },
    ],
  },
});
