/**
 * A runner took another job than the one its Pod was claimed for. Its claim moves to the executed job. The job it was
 * made for gets the claim of the executed job, whose runner is still to come, or waits again.
 */
import { sql } from 'kysely';
import type { JobDraft } from '../rows.ts';
import type { ClaimRow } from './schema.ts';
import { emitAfterCommit, type Tx } from './transaction.ts';
import { wake } from './wake.ts';

/**
 * Locks the jobs before the job itself is written: the webhooks of two runners that took each other's jobs arrive at
 * the same moment and could deadlock. If one does, the database undoes the transaction, and it is retried.
 */
export async function lockJobsOfRunner(
  tx: Tx,
  { id, accountId }: JobDraft,
  runnerName: string,
): Promise<void> {
  // As an array: with an `or`, PostgreSQL would read the whole table.
  await sql`
    select 1 from jobs
    where id = any(array(
      select job_id from claims where account_id = ${accountId} and runner_name = ${runnerName}
      union select ${id}))
    order by id for update`.execute(tx);
}

interface Taker {
  readonly accountId: string;
  readonly runnerName: string;
}

export async function exchangeJobs(tx: Tx, executedId: string, taker: Taker): Promise<void> {
  const own = await tx
    .selectFrom('claims')
    .selectAll()
    .where('account_id', '=', taker.accountId)
    .where('runner_name', '=', taker.runnerName)
    .where('job_id', '<>', executedId)
    .where('pool', '=', (jobs) => jobs.selectFrom('jobs').select('pool').where('id', '=', executedId))
    .forUpdate()
    .executeTakeFirst();
  if (own === undefined) return;
  const other = await tx
    .selectFrom('claims')
    .selectAll()
    .where('job_id', '=', executedId)
    .forUpdate()
    .executeTakeFirst();
  // The runner of the other claim executes another job and cannot take the job left behind.
  if (other !== undefined && other.executed_job_id !== null) return;
  await swap(tx, { own, other, executedId });
  await tx
    .updateTable('jobs')
    .set({ generation: own.generation, claimed_at: own.claimed_at })
    .where('id', '=', executedId)
    .execute();
  await passOnLeftJob(tx, own, other);
}

interface Swap {
  readonly own: ClaimRow;
  readonly other: ClaimRow | undefined;
  readonly executedId: string;
}

/** In one statement: only at its end does each job have one claim again. */
async function swap(tx: Tx, { own, other, executedId }: Swap): Promise<void> {
  const both = [own.generation, ...(other === undefined ? [] : [other.generation])];
  for (const table of ['claims', 'sessions'])
    await sql`
      update ${sql.table(table)}
      set job_id = case when generation = ${own.generation} then ${executedId} else ${own.job_id} end
      where generation = any(${both})`.execute(tx);
}

/** Passes on the job left behind, unless GitHub has reported its start or its end. */
async function passOnLeftJob(tx: Tx, own: ClaimRow, other: ClaimRow | undefined): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({
      state: other?.state ?? 'queued',
      generation: other?.generation ?? null,
      claimed_at: other?.claimed_at ?? null,
    })
    .where('id', '=', own.job_id)
    .where('generation', '=', own.generation)
    .where('state', 'in', ['claimed', 'running'])
    .where('executor', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n || other !== undefined) return;
  emitAfterCommit(tx, { kind: 'requeued', pool: own.pool });
  await wake(tx, own.pool);
}
