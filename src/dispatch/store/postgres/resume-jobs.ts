/** Updates jobs after the App was installed, suspended or removed. */
import { sql } from 'kysely';
import type { JobRow } from './schema.ts';
import type { Tx } from './transaction.ts';
import { wake } from './wake.ts';

/**
 * A new installation of the App gets another id; jobs that waited for the old installation continue with the new one,
 * and waiting Pods are woken for them.
 */
export async function resumeJobs(tx: Tx, accountId: string): Promise<void> {
  await sql`
    update jobs set installation_id = live.id
    from (select max(id) as id from installations where account_id = ${accountId} and state = 'active') live
    where account_id = ${accountId} and state <> 'completed' and live.id is not null
      and installation_id not in (select id from installations where account_id = ${accountId} and state = 'active')`.execute(
    tx,
  );
  const { rows } = await sql<Pick<JobRow, 'pool'>>`
    select distinct pool from jobs where account_id = ${accountId} and state = 'queued'`.execute(tx);
  for (const { pool } of rows) await wake(tx, pool);
}
