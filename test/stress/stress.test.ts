/** A part of `npm run stress` on npm's PostgreSQL, so that every test run kills workers in the middle of claims. */
import { expect, it } from 'vitest';
import { bySize } from '../../lab/harness/test-size.ts';
import { openFor } from './databases.ts';
import { runStressTest } from './stress.ts';
import { nextTransition } from './result-table.ts';

const attempts = bySize({ small: 5000, full: 100_000 });
/** On a busy machine a hundred thousand claims take a while. */
const patienceMs = 900_000;

it(
  'no job or Pod is claimed twice, no budget exceeded and no job lost while workers are killed',
  { timeout: patienceMs },
  async () => {
    const database = await openFor('npm', () => undefined);
    try {
      const result = await runStressTest({
        url: database.url,
        attempts,
        seed: 20_261_115,
        progress: () => undefined,
      });
      expect(nextTransition(result, attempts)).toBe('every rule held');
    } finally {
      await database.close('remove');
    }
  },
);
