/** Claims on Debian's PostgreSQL, which is older than npm's, while workers are killed. */
import { expect, it } from 'vitest';
import { pathOf } from '../reference/bring-up.ts';
import { describeIntegration } from '../reference/describe-integration.ts';
import { startPostgres } from '../reference/launch/postgres.ts';
import { bySize } from '../../lab/harness/test-size.ts';
import { urlOf } from './databases.ts';
import { runStressTest } from './stress.ts';
import { nextTransition } from './result-table.ts';

const attempts = bySize({ small: 5000, full: 100_000 });
/** On a busy machine a hundred thousand claims take a while. */
const patienceMs = 900_000;

await describeIntegration(
  {
    name: `${attempts} claims while workers are killed`,
    by: 'postgres',
    setUp: async ({ bench, workplace }) => urlOf(await startPostgres(workplace, pathOf(bench, 'postgres'))),
  },
  (given) => {
    it("break no rule on Debian's PostgreSQL", { timeout: patienceMs }, async () => {
      const result = await runStressTest({
        url: given(),
        attempts,
        seed: 20_261_115,
        progress: () => undefined,
      });
      expect(nextTransition(result, attempts)).toBe('every rule held');
    });
  },
);
