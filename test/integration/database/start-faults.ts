/** What becomes of a replica that starts while the tables are changed, by itself or by another one. */
import { sql } from 'kysely';
import { expect } from 'vitest';
import { openDatabase, type Database } from '../../../src/dispatch/store/postgres/open-database.ts';
import { connectionTo, type Fault, type FaultHarness } from './fault-harness.ts';

/** A replica that starts, and is closed with the stand. */
async function start(harness: FaultHarness, url: string): Promise<Database> {
  const database = await openDatabase({ url, connectionsMax: 1, onLost: () => undefined, answerMs: 500 });
  harness.onClose(async () => database.close());
  return database;
}

/** The one that starts has waited for longer than a verb would wait for a lock or for an answer; or it does not wait any more. */
async function waitedLong(harness: FaultHarness, starting: Promise<unknown>): Promise<string> {
  let isOver = false;
  const end = (): void => void (isOver = true);
  starting.then(end, end);
  return harness.until(async () => {
    const { rowCount } = await harness.operator.query(
      `select from pg_stat_activity where application_name like 'muster%' and wait_event_type = 'Lock'
       and clock_timestamp() - query_start > interval '2.5 s'`,
    );
    if (isOver) return 'it gave up';
    return rowCount === 1 ? 'it waits' : undefined;
  });
}

/** An empty database that notes under which limits its tables are changed. */
async function watchedDatabase(harness: FaultHarness): Promise<string> {
  const drop = async () => harness.operator.query('drop database if exists watched with (force)');
  await drop();
  await harness.operator.query('create database watched');
  harness.onClose(async () => void (await drop()));
  const url = harness.url.replace(/postgres$/, 'watched');
  const watcher = connectionTo(url);
  await watcher.connect();
  await watcher.query(`
    create table seen (lock text, statement text, idle text);
    create function note_limits() returns event_trigger language plpgsql as $$ begin
      insert into seen values (current_setting('lock_timeout'), current_setting('statement_timeout'),
        current_setting('idle_in_transaction_session_timeout'));
    end $$;
    create event trigger note_limits on ddl_command_end execute function note_limits()`);
  await watcher.end();
  return url;
}

/** Whether its connection was ended, or lies idle; the driver itself would end it after ten seconds of that. */
async function migratorOf(harness: FaultHarness): Promise<string> {
  return harness.until(async () => {
    const { rows } = await harness.operator.query<{ isLeft: boolean }>(
      `select clock_timestamp() - state_change > interval '5 s' as "isLeft"
       from pg_stat_activity where application_name = 'muster-migrate'`,
    );
    if (rows.length === 0) return 'gone';
    return rows.some(({ isLeft }) => isLeft) ? 'left behind' : undefined;
  });
}

export const startFaults: readonly Fault[] = [
  {
    rule: 'a replica whose database is not there says which one is missing',
    proves: async (harness) => {
      const url = harness.url.replace(/postgres$/, 'nowhere');
      await expect(start(harness, url)).rejects.toThrow(
        /failed to migrate the database: .*"nowhere" does not exist/,
      );
    },
  },
  {
    rule: 'a replica that starts while another one changes the tables waits for it, and then serves',
    proves: async (harness) => {
      await harness.rival.query('begin; lock table kysely_migration in access exclusive mode');
      const starting = start(harness, harness.wireUrl);
      expect(await waitedLong(harness, starting)).toBe('it waits');
      await harness.rival.query('rollback');
      const { db } = await starting;
      expect(await db.selectFrom('accounts').selectAll().execute()).toEqual([]);
    },
  },
  {
    rule: 'the tables are changed on a connection without the limits of those that serve, which ends with it',
    proves: async (harness) => {
      const { db } = await start(harness, await watchedDatabase(harness));
      const { rows: changing } = await sql`select distinct * from seen`.execute(db);
      expect(changing).toEqual([{ lock: '0', statement: '0', idle: '5s' }]);
      const { rows: serving } = await sql`
        select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`.execute(
        db,
      );
      expect(serving).toEqual([{ lock: '2s', statement: '10s' }]);
      expect(await migratorOf(harness)).toBe('gone');
    },
  },
];
