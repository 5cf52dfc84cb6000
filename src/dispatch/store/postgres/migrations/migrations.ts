/**
 * All migrations, in order. A released migration is never edited: databases have already run it. Each keeps what
 * replicas of the previous version need, so that they work while the new replicas start.
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

/** Runs the migrations and returns the names of those that ran. Replicas that start together are serialized. */
export async function migrate(db: Kysely<Schema>): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error(failed(error), { cause: error });
  return (results ?? []).map((result) => result.migrationName);
}

/** The migrations are the first access, so an unreachable database is reported here too. */
function failed(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `failed to migrate the database: ${why}`;
}
