/** Checks the tables at the end: every job ended, served by one Pod at most, and nothing held. */
import { sql, type Kysely } from 'kysely';
import type { Schema } from '../../src/dispatch/store/postgres/schema.ts';
import type { Ledger } from './history.ts';

export async function lookAtTheEnd(
  db: Kysely<Schema>,
  { ledger, jobs, killed }: { ledger: Ledger; jobs: number; killed: ReadonlySet<number> },
): Promise<void> {
  for (const what of await leftovers(db)) ledger.found(what);
  const { rows } = await sql<{ id: string; generation: string | null }>`
    select id, generation from jobs where state = 'completed'`.execute(db);
  if (rows.length !== jobs) ledger.found(`lost jobs: ${jobs - rows.length} of ${jobs} were not completed`);
  for (const { id, generation } of rows) {
    // Only a worker killed between the commit and its report may have kept the end to itself.
    const life = Number(generation?.split('-')[0]);
    if (!ledger.completed.has(id) && !killed.has(life))
      ledger.found(`no worker reported that job ${id} is over`);
  }
}

async function leftovers(db: Kysely<Schema>): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly what: string }>`
    select 'lost job: ' || id || ' is still ' || state as what from jobs where state <> 'completed'
    union all select 'claim ' || generation || ' was never given back' from claims
    union all select 'session ' || id || ' was never closed' from sessions where ended_at is null
    union all select 'double claim: ' || count(*) || ' sessions for job ' || job_id
      from sessions group by job_id having count(*) > 1
    union all select 'double claim: ' || count(*) || ' sessions of Pod ' || pod_uid
      from sessions group by pod_uid having count(*) > 1
    order by what limit 20`.execute(db);
  return rows.map(({ what }) => what);
}
