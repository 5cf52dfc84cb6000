/**
 * Whether a job was reported as queued: the first report sets its waiting time, later ones do not. A replica of the
 * previous version writes the default, which is right for all its rows except jobs that wait for approval.
 */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const heardQueued: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table jobs add column heard_queued boolean not null default true`.execute(db);
    await sql`update jobs set heard_queued = false where state = 'waiting'`.execute(db);
  },
};
