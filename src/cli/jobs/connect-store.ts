/** Opens the database of dispatch for one command, without migrating its tables, and closes it. */
import { connectDatabase } from '../../dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../../dispatch/store/postgres/postgres-store.ts';
import type { JobStore } from '../../dispatch/store/port.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { ProcessPorts } from '../process-ports.ts';
import type { StoreOptions } from './store-options.ts';

const urlVariable = 'MUSTER_DATABASE_URL';
const connectionsMax = 2;
/** The PostgreSQL error codes of a missing table and a missing column. */
const notThere = new Set(['42P01', '42703']);

export async function onStore(
  options: StoreOptions,
  { outside, clock }: ProcessPorts,
  work: (store: JobStore) => Promise<void>,
): Promise<void> {
  const url = options.databaseUrl ?? outside?.env[urlVariable];
  if (url === undefined || url === '')
    throw new Error(`no database: give --database-url <url>, or set ${urlVariable}`);
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new Error('the database URL must look like postgres://user:password@host:port/name');
  const database = connectDatabase({ url, connectionsMax, onLost: () => undefined });
  try {
    await work(new PostgresStore(database.db, { clock }));
  } catch (error) {
    throw explained(error);
  } finally {
    await database.close();
  }
}

/** The error leaves the URL out: it may hold a password. */
function explained(error: unknown): unknown {
  if (isFleetError(error, 'unavailable')) return new Error(error.message, { cause: error });
  if (error instanceof Error && 'code' in error && notThere.has(String(error.code)))
    return new Error(
      'the database has no tables of this version; start `muster dispatch` of this version, which creates them',
      { cause: error },
    );
  return error;
}
