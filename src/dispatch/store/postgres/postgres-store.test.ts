import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNpmPostgres } from '../../../../test/database/npm-postgres.ts';
import { Workplace } from '../../../../test/real/launch/workplace.ts';
import { runRules } from '../contract/run-rules.ts';
import { compareWithModel } from '../contract/same-as-model.ts';
import type { Told } from '../job-events.ts';
import { openDatabase, type Database } from './open-database.ts';
import { PostgresStore } from './postgres-store.ts';

describe('on the PostgreSQL that npm installs', () => {
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

  async function empty(told?: Told): Promise<PostgresStore> {
    await sql`truncate accounts, deliveries, retired_pods, recovery_acts, recovery_turns, suspects cascade`.execute(
      database.db,
    );
    return new PostgresStore(database.db, told);
  }

  it('the store answers the same commands as the model in memory, and ends alike', async () => {
    expect(await compareWithModel(async () => empty(), 100)).toBe(100);
  });

  runRules('PostgreSQL', empty);
});
