/**
 * All changes of the tables, in order. One that was released is never edited: a database somewhere has already run it.
 * Each leaves what replicas of the version before need, so that they go on working while the new ones start.
 */
import type { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Schema } from '../schema.ts';
import { jobTables } from './0001-jobs.ts';
import { recoveryTables } from './0002-recovery.ts';
import { exchangedJobs } from './0003-exchanged-jobs.ts';
import { profileTable } from './0004-profiles.ts';
import { heardQueued } from './0005-heard-queued.ts';
import { oldRows } from './0006-old-rows.ts';

const migrations: Readonly<Record<string, Migration>> = {
  '0001-jobs': jobTables,
  '0002-recovery': recoveryTables,
  '0003-exchanged-jobs': exchangedJobs,
  '0004-profiles': profileTable,
  '0005-heard-queued': heardQueued,
  '0006-old-rows': oldRows,
};

/** Brings the tables up to date and returns the names of what was run. Replicas that start together take turns. */
export async function migrate(db: Kysely<Schema>): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error(failed(error), { cause: error });
  return (results ?? []).map((result) => result.migrationName);
}

/** It is the first that is asked of a database, so this is also how one that is not there is told. */
function failed(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `the tables of the database could not be brought up to date: ${why}`;
}
