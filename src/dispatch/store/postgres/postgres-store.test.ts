import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { npmDatabase } from '../../../../test/database/npm-database.ts';
import { runRules } from '../contract/run-rules.ts';
import { compareWithModel } from '../contract/same-as-model.ts';
import type { Told } from '../job-events.ts';
import { PostgresStore } from './postgres-store.ts';

describe('on the PostgreSQL that npm installs', () => {
  const database = npmDatabase('store', 4);

  async function empty(told?: Told): Promise<PostgresStore> {
    await sql`truncate accounts, deliveries, retired_pods, recovery_acts, recovery_turns, suspects cascade`.execute(
      database().db,
    );
    return new PostgresStore(database().db, told);
  }

  it('the store answers the same commands as the model in memory, and ends alike', async () => {
    expect(await compareWithModel(async () => empty(), 100)).toBe(100);
  });

  runRules('PostgreSQL', empty);
});
