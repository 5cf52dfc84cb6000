/** Connections to PostgreSQL, with the limits that keep one stuck replica from stopping the others. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, type PoolConfig } from 'pg';
import { migrate } from './migrations/migrations.ts';
import { endWhenSilent, noticeSilence } from './connection-timeouts.ts';
import type { Schema } from './schema.ts';

export interface DatabaseOptions {
  /** postgres://user:password@host:port/name; holds a password, so it is never printed. */
  readonly url: string;
  readonly connectionsMax: number;
  /** A connection that ended while nobody used it. The next verb opens another; the caller may want to say so. */
  readonly onLost: (error: Error) => void;
  /** How long a statement may go without its answer before the connection counts as lost. */
  readonly answerMs?: number;
}

const statementMs = 10_000;
/** Longer than the server takes to break a statement off: where it is there, it is the server that says so. */
const usualAnswerMs = statementMs + 5_000;

export interface Database {
  readonly db: Kysely<Schema>;
  /** Rejects unless the server answers by one of the connections that serve. */
  ask(): Promise<void>;
  close(): Promise<void>;
}

/** Brings the tables up to date, and opens connections. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  await bringUpToDate(options);
  return connectDatabase(options);
}

/**
 * On a connection of its own, without the limits of those that serve: an index of a large table takes minutes, and broken off
 * it would begin anew at each start; and a replica that starts waits for the one which makes it, however long.
 */
async function bringUpToDate({ url, onLost }: DatabaseOptions): Promise<void> {
  const config = { connectionString: url, max: 1, application_name: 'muster-migrate' };
  const database = connect(config, onLost);
  try {
    await migrate(database.db);
  } finally {
    await database.close();
  }
}

/** The tables as they are. Nothing is asked of the server before the first verb. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { url, connectionsMax, onLost, answerMs = usualAnswerMs } = options;
  const limits = {
    // A lock is held for milliseconds. Who waits longer stands behind something that hangs, and had better say so.
    lock_timeout: 2_000,
    statement_timeout: statementMs,
    query_timeout: answerMs,
  };
  const config = { connectionString: url, max: connectionsMax, application_name: 'muster', ...limits };
  return connect(config, onLost);
}

function connect(config: PoolConfig, onLost: DatabaseOptions['onLost']): Database {
  const pool = new Pool({
    ...config,
    connectionTimeoutMillis: 5_000,
    ...noticeSilence,
    // A replica that was stopped in the middle of a transaction loses it, and with it the pool that it held.
    idle_in_transaction_session_timeout: 5_000,
  });
  // Without a listener, the driver ends the process when the server goes away.
  pool.on('error', onLost);
  // The pool listens only while nobody uses a connection. In the middle of a verb it is the verb that fails.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('connect', endWhenSilent);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const ask = async (): Promise<void> => {
    await sql`select 1`.execute(db);
  };
  return { db, ask, close: async () => db.destroy() };
}
