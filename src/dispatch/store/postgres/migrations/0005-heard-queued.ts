/**
 * Whether we heard that a job is queued: the first time sets since when it waits, and the others set nothing. A replica of
 * the version before leaves the default, which fits all of its rows but those that wait for approval.
 */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const heardQueued: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table jobs add column heard_queued boolean not null default true`.execute(db);
    await sql`update jobs set heard_queued = false where state = 'waiting'`.execute(db);
  },
};
