/** Two claims may exchange their jobs in one statement: only at its end does each job have one claim. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const exchangedJobs: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      alter table claims
        drop constraint claims_job_id_key,
        add constraint claims_job_id_key unique (job_id) deferrable initially immediate`.execute(db);
  },
};
