import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNpmPostgres } from '../../../../test/database/npm-postgres.ts';
import { Workplace } from '../../../../test/real/launch/workplace.ts';
import { beginning, commands, seen, setUp } from '../contract/commands.ts';
import { MemoryStore } from '../contract/model/memory-store.ts';
import { openDatabase, type Database } from './open-database.ts';
import { PostgresStore } from './postgres-store.ts';
import { sql } from 'kysely';

describe('PostgreSQL and the model in memory', () => {
  let workplace: Workplace;
  let database: Database;
  beforeAll(async () => {
    workplace = await Workplace.open('store');
    const { port, user } = await startNpmPostgres(workplace);
    database = await openDatabase({
      url: `postgres://${user}@127.0.0.1:${port}/postgres`,
      connectionsMax: 4,
      onLost: () => undefined,
    });
  });
  afterAll(async () => {
    await database?.close();
    await workplace?.close();
  });

  it('answer the same commands alike, and end alike', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (drawn) => {
        await sql`truncate accounts, deliveries, retired_pods cascade`.execute(database.db);
        const real = new PostgresStore(database.db);
        const model = new MemoryStore();
        await setUp(real);
        await setUp(model);
        for (const [index, command] of drawn.entries()) {
          const at = beginning + index * 10_000;
          const serial = String(index).padStart(4, '0');
          const expected = await command.run(model, at, serial);
          expect(await command.run(real, at, serial), command.says).toEqual(expected);
        }
        const at = beginning + 30 * 60_000;
        expect(await seen(real, at)).toEqual(await seen(model, at));
      }),
      { numRuns: 100 },
    );
  });
});
