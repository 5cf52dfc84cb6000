/** Indexes to find old rows without reading the rest, and to find sessions by the id of a job to delete. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  `create index jobs_completed on jobs (completed_at, id) where state = 'completed'`,
  `create index jobs_last_words on jobs (completed_at, id) where state = 'completed' and log_tail is not null`,
  `create index sessions_closed on sessions (ended_at, id) where ended_at is not null`,
  `create index sessions_of_job on sessions (job_id)`,
];

export const oldRows: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
