/** The store on Debian's PostgreSQL: the same rules, faults and random commands as on the PostgreSQL from npm. */
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { pathOf } from '../../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../../test/reference/describe-integration.ts';
import { startPostgres } from '../../../../test/reference/launch/postgres.ts';
import { runRules } from '../../../../lab/contracts/store/run-rules.ts';
import { compareWithModel } from '../../../../lab/contracts/store/model-check.ts';
import { runFaults } from '../../../../test/integration/database/run-faults.ts';
import type { Reported } from '../job-events.ts';
import { bySize } from '../../../../lab/harness/test-size.ts';
import { wallClock } from '../../../../lab/harness/wall-clock.ts';
import { openDatabase } from './open-database.ts';
import { PostgresStore } from './postgres-store.ts';

const sequences = bySize({ small: 25, full: 100 });

await describeIntegration(
  {
    name: "on Debian's PostgreSQL",
    by: 'postgres',
    setUp: async ({ bench, workplace }) => {
      const { port, user } = await startPostgres(workplace, pathOf(bench, 'postgres'));
      const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
      const database = await openDatabase({ url, connectionsMax: 4, onLost: () => undefined });
      return { user, port, database };
    },
  },
  (given) => {
    afterAll(async () => given().database.close());

    async function empty(reported?: Reported): Promise<PostgresStore> {
      await sql`truncate accounts, deliveries, retired_pods, recovery_acts, recovery_turns, suspects cascade`.execute(
        given().database.db,
      );
      return new PostgresStore(given().database.db, { ...(reported && { reported }), clock: wallClock });
    }

    it('the store gives the same answers as the model in memory, and ends in the same state', async () => {
      expect(await compareWithModel(async () => empty(), sequences)).toBe(sequences);
    });

    runRules("Debian's PostgreSQL", empty);
    runFaults("Debian's PostgreSQL", given);
  },
);
