/** A hundred thousand claims on each PostgreSQL we have: Debian's, which is some versions older, and npm's. */
import { expect, it } from 'vitest';
import { pathOf } from '../real/bring-up.ts';
import { describeJudged } from '../real/judged.ts';
import { startPostgres } from '../real/launch/postgres.ts';
import { openFor, urlOf } from './databases.ts';
import { hammer } from './hammer.ts';
import { verdictOn } from './result-table.ts';

const attempts = 100_000;
/** On a busy machine a hundred thousand take their time. */
const patienceMs = 900_000;

async function verdict(url: string): Promise<string> {
  return verdictOn(await hammer({ url, attempts, seed: 20_261_115, progress: () => undefined }), attempts);
}

await describeJudged(
  {
    name: `${attempts} claims while workers are killed`,
    by: 'postgres',
    setUp: async ({ bench, workplace }) => urlOf(await startPostgres(workplace, pathOf(bench, 'postgres'))),
  },
  (given) => {
    it("break no rule on Debian's PostgreSQL", { timeout: patienceMs }, async () => {
      expect(await verdict(given())).toBe('every rule held');
    });

    it("break no rule on npm's PostgreSQL", { timeout: patienceMs }, async () => {
      const database = await openFor('npm', () => undefined);
      try {
        expect(await verdict(database.url)).toBe('every rule held');
      } finally {
        await database.close('remove');
      }
    });
  },
);
