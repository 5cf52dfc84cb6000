/** Repairs of the recovery, each guarded by its preconditions. The job is locked before its claim. */
import { sql, type Kysely } from 'kysely';
import type { Abandonment, GivenUp, JobSource } from '../recovery-port.ts';
import type { AuditDraft } from '../rows.ts';
import { writeAudit } from './audit.ts';
import { lockJobOf } from './lock-job.ts';
import type { JobRow, Schema } from './schema.ts';
import { emitAfterCommit, type Tx } from './transaction.ts';
import { wake } from './wake.ts';

async function lockJob(tx: Tx, id: string): Promise<JobRow | undefined> {
  return tx.selectFrom('jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function abandon(
  tx: Tx,
  { jobId, generation, evidence }: Abandonment,
  act: AuditDraft,
): Promise<'requeued' | 'busy' | 'stale'> {
  const job = await lockJob(tx, jobId);
  if (job?.state !== 'running' || job.generation !== generation || job.executor !== null) return 'stale';
  const claim = await tx
    .selectFrom('claims')
    .selectAll()
    .where('generation', '=', generation)
    .forUpdate()
    .executeTakeFirst();
  // The Pod lives and executes another job: the claim counts until that job is done.
  if (evidence === 'aged_out' && claim !== undefined && claim.executed_job_id !== null) return 'busy';
  await tx.deleteFrom('claims').where('generation', '=', generation).execute();
  await tx
    .updateTable('jobs')
    .set({ state: 'queued', generation: null, claimed_at: null })
    .where('id', '=', jobId)
    .execute();
  emitAfterCommit(tx, { kind: 'requeued', pool: job.pool });
  await wake(tx, job.pool);
  return writeAudit(tx, act, 'requeued');
}

export async function giveUp(
  tx: Tx,
  { jobId, from, conclusion, at }: GivenUp,
  act: AuditDraft,
): Promise<'given-up' | 'stale'> {
  const job = await lockJob(tx, jobId);
  if (job?.state !== from || job.executor !== null) return 'stale';
  await tx
    .updateTable('jobs')
    .set({ state: 'completed', conclusion, completed_at: new Date(at) })
    .where('id', '=', jobId)
    .execute();
  const queuedAt = job.queued_at.getTime();
  emitAfterCommit(tx, { kind: 'completed', pool: job.pool, conclusion, queuedAt, startedAt: undefined, at });
  return writeAudit(tx, act, 'given-up');
}

export async function settle(tx: Tx, generation: string, act: AuditDraft): Promise<'settled' | 'live'> {
  const held = await lockJobOf(tx, generation);
  if (held?.claim.state !== 'running' || held.job.state !== 'completed') return 'live';
  // A completed job stays completed, so the other job needs no lock.
  const { executed_job_id: executed } = held.claim;
  if (executed !== null && !(await isOver(tx, executed))) return 'live';
  await tx.deleteFrom('claims').where('generation', '=', generation).execute();
  await wake(tx, held.claim.pool);
  return writeAudit(tx, act, 'settled');
}

async function isOver(tx: Tx, jobId: string): Promise<boolean> {
  const job = await tx.selectFrom('jobs').select('state').where('id', '=', jobId).executeTakeFirst();
  return job?.state === 'completed';
}

export async function jobSources(db: Kysely<Schema>, since: number): Promise<readonly JobSource[]> {
  const { rows } = await sql<JobSource>`
    select distinct installation_id as "installationId", repository collate "C" as repository
    from jobs where queued_at > ${new Date(since)} order by 1, 2`.execute(db);
  return rows;
}
