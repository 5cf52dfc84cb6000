/** A database with the tables of dispatch, on its own npm-installed PostgreSQL, for all tests of one file. */
import { afterAll, beforeAll } from 'vitest';
import { openDatabase, type Database } from '../../../src/dispatch/store/postgres/open-database.ts';
import { Workplace } from '../../reference/launch/workplace.ts';
import { startNpmPostgres } from './npm-postgres.ts';

interface NpmDatabase {
  readonly url: string;
  readonly db: Database['db'];
}

/** Called where tests are declared; the returned function works once they run. */
export function npmDatabase(name: string, connectionsMax = 2): () => NpmDatabase {
  let workplace: Workplace | undefined;
  let database: Database | undefined;
  let url = '';
  beforeAll(async () => {
    workplace = await Workplace.open(name);
    const { port, user } = await startNpmPostgres(workplace);
    url = `postgres://${user}@127.0.0.1:${port}/postgres`;
    database = await openDatabase({ url, connectionsMax, onLost: () => undefined });
  });
  afterAll(async () => {
    await database?.close();
    await workplace?.close();
  });
  return () => {
    if (database === undefined) throw new Error('the database is there while tests run');
    return { url, db: database.db };
  };
}
