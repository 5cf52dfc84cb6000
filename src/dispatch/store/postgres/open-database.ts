/** Connections to PostgreSQL, with timeouts so that one stuck replica does not stop the others. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, type PoolConfig } from 'pg';
import { migrate } from './migrations/migrations.ts';
import { endWhenSilent, noticeSilence } from './connection-timeouts.ts';
import type { Schema } from './schema.ts';

export interface DatabaseOptions {
  /** postgres://user:password@host:port/name; contains a password, so it is never printed. */
  readonly url: string;
  readonly connectionsMax: number;
  /** Called when an idle connection ends. The next operation opens another. */
  readonly onLost: (error: Error) => void;
  /** How long a statement may go without its answer before the connection counts as lost. */
  readonly answerMs?: number;
}

const statementMs = 10_000;
/** Longer than the statement timeout, so that a live server reports the timeout itself. */
const usualAnswerMs = statementMs + 5_000;

export interface Database {
  readonly db: Kysely<Schema>;
  /** Rejects unless the server answers on a query connection. */
  ask(): Promise<void>;
  close(): Promise<void>;
}

/** Runs the migrations, then opens the connections. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  await bringUpToDate(options);
  return connectDatabase(options);
}

/**
 * Runs the migrations on a separate connection without timeouts: an index on a large table takes minutes, and a timeout
 * would restart it at each start of a replica. Replicas that start meanwhile wait for it.
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

/** Connects without migrations. Sends nothing to the server before the first operation. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { url, connectionsMax, onLost, answerMs = usualAnswerMs } = options;
  const limits = {
    // Locks are held for milliseconds. A longer wait means that something hangs, so fail.
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
    // A replica that stops in the middle of a transaction loses the transaction, and with it the lock of the pool.
    idle_in_transaction_session_timeout: 5_000,
  });
  // Without a listener, a lost server ends the process.
  pool.on('error', onLost);
  // The pool listens only on idle connections. On a busy connection the operation fails instead.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('connect', endWhenSilent);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const ask = async (): Promise<void> => {
    await sql`select 1`.execute(db);
  };
  return { db, ask, close: async () => db.destroy() };
}
