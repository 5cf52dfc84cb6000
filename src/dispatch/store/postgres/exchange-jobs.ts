/**
 * A runner took another job than the one its Pod was reserved for. The claim goes with what is executed; the job that it was
 * made for has the claim of the other one, whose runner is still to come, or waits again.
 */
import { sql } from 'kysely';
import type { JobDraft } from '../rows.ts';
import type { ClaimRow } from './schema.ts';
import { emitAfterCommit, type Tx } from './transaction.ts';
import { wake } from './wake.ts';

/**
 * Before the job itself is written: two runners that took each other's jobs are told of at the same moment, and would wait for
 * each other. Who is overtaken here is sent back by the database, and goes again.
 */
export async function lockJobsOfRunner(
  tx: Tx,
  { id, accountId }: JobDraft,
  runnerName: string,
): Promise<void> {
  // As an array: with an `or` in its place the whole table would be read.
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
  // Its runner is at work elsewhere, and cannot take what would be left.
  if (other !== undefined && other.executed_job_id !== null) return;
  await swap(tx, { own, other, executedId });
  await tx
    .updateTable('jobs')
    .set({ generation: own.generation, claimed_at: own.claimed_at })
    .where('id', '=', executedId)
    .execute();
  await remove(tx, own, other);
}

interface Swap {
  readonly own: ClaimRow;
  readonly other: ClaimRow | undefined;
  readonly executedId: string;
}

/** In one statement, at the end of which each job has one claim again. */
async function swap(tx: Tx, { own, other, executedId }: Swap): Promise<void> {
  const both = [own.generation, ...(other === undefined ? [] : [other.generation])];
  for (const table of ['claims', 'sessions'])
    await sql`
      update ${sql.table(table)}
      set job_id = case when generation = ${own.generation} then ${executedId} else ${own.job_id} end
      where generation = any(${both})`.execute(tx);
}

/** Unless GitHub has said that somebody executes it or that it is over. */
async function remove(tx: Tx, own: ClaimRow, other: ClaimRow | undefined): Promise<void> {
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
