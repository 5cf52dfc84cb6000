/** A replica that starts during a migration, its own or another replica's. */
import { sql } from 'kysely';
import { expect } from 'vitest';
import { openDatabase, type Database } from '../../../src/dispatch/store/postgres/open-database.ts';
import { connectionTo, type Fault, type FaultHarness } from './fault-harness.ts';

/** Starts a replica, and closes it with the harness. */
async function start(harness: FaultHarness, url: string): Promise<Database> {
  const database = await openDatabase({ url, connectionsMax: 1, onLost: () => undefined, answerMs: 500 });
  harness.onClose(async () => database.close());
  return database;
}

/** Waits until the starting replica has waited longer than any verb would, or has ended. */
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

/** An empty database that records the timeouts during its migration. */
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

/** Whether the migration connection was ended, or is idle; the driver would close an idle one after ten seconds. */
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
    rule: 'a replica without its database names the missing database',
    proves: async (harness) => {
      const url = harness.url.replace(/postgres$/, 'nowhere');
      await expect(start(harness, url)).rejects.toThrow(
        /failed to migrate the database: .*"nowhere" does not exist/,
      );
    },
  },
  {
    rule: 'a replica that starts during the migration of another waits, and then serves',
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
    rule: 'the migration runs on a separate connection without the serving timeouts, which is closed afterwards',
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
