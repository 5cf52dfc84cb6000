import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { npmDatabase } from '../../../../test/integration/database/npm-database.ts';
import { wallClock } from '../../../../lab/harness/wall-clock.ts';
import { runRules } from '../../../../lab/contracts/store/run-rules.ts';
import { compareWithModel } from '../../../../lab/contracts/store/model-check.ts';
import type { Reported } from '../job-events.ts';
import { PostgresStore } from './postgres-store.ts';

describe('on the PostgreSQL that npm installs', () => {
  const database = npmDatabase('store', 4);

  async function empty(reported?: Reported): Promise<PostgresStore> {
    await sql`truncate accounts, deliveries, retired_pods, recovery_acts, recovery_turns, suspects cascade`.execute(
      database().db,
    );
    return new PostgresStore(database().db, { ...(reported && { reported }), clock: wallClock });
  }

  it('the store gives the same answers as the model in memory, and ends in the same state', async () => {
    expect(await compareWithModel(async () => empty(), 100)).toBe(100);
  });

  it('prunes five thousand rows of a table at once, and reports when there may be more', async () => {
    const store = await empty();
    await sql`insert into deliveries (guid, event, action, received_at)
      select n, 'event', 'action', to_timestamp(n) from generate_series(1, 5001) n`.execute(database().db);
    const left = async () => database().db.selectFrom('deliveries').select('guid').execute();
    const bygone = { notesBefore: 5_001_001, jobsBefore: 0 };
    expect([await store.prune(bygone), await left()]).toEqual(['more', [{ guid: '5001' }]]);
    expect([await store.prune(bygone), await left()]).toEqual(['all', []]);
  });

  runRules('PostgreSQL', empty);
});
