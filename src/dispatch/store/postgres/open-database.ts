/** Connections to PostgreSQL, with the limits that keep one stuck replica from stopping the others. */
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { migrate } from './migrations/migrations.ts';
import { endWhenSilent, noticeSilence } from './notice-silence.ts';
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
  close(): Promise<void>;
}

/** Opens connections and brings the tables up to date. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const database = connectDatabase(options);
  try {
    await migrate(database.db);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** The tables as they are. Nothing is asked of the server before the first verb. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { url, connectionsMax, onLost, answerMs = usualAnswerMs } = options;
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: 5_000,
    // A lock is held for milliseconds. Who waits longer stands behind something that hangs, and had better say so.
    lock_timeout: 2_000,
    statement_timeout: statementMs,
    query_timeout: answerMs,
    ...noticeSilence,
    // A replica that was stopped in the middle of a transaction loses it, and with it the pool that it held.
    idle_in_transaction_session_timeout: 5_000,
    application_name: 'muster',
  });
  // Without a listener, the driver ends the process when the server goes away.
  pool.on('error', onLost);
  // The pool listens only while nobody uses a connection. In the middle of a verb it is the verb that fails.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('connect', endWhenSilent);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { db, close: async () => db.destroy() };
}
