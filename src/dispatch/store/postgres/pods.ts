/** Closes session and claim of an ended Pod, and blocks Pods from getting jobs. */
import { sql } from 'kysely';
import type { StoppedPod } from '../port.ts';
import type { Retirement } from '../recovery-port.ts';
import type { AuditDraft, Ending, Job, PodRef } from '../rows.ts';
import { writeAudit } from './audit.ts';
import { lockJobOf } from './lock-job.ts';
import { lockPool } from './pool-lock.ts';
import { requeue } from './release.ts';
import { jobOf } from './row-shapes.ts';
import type { JobRow } from './schema.ts';
import type { Tx } from './transaction.ts';
import { wake } from './wake.ts';

export async function podStopped(
  tx: Tx,
  { pod, at, ending }: StoppedPod,
  act: AuditDraft | undefined,
): Promise<readonly Job[]> {
  const jobs = await lockJobsOf(tx, pod, ending);
  const claims = await giveBack(tx, pod);
  const { numAffectedRows: sessions } = await sql`
    update sessions set ended_at = greatest(started_at, ${new Date(at)})
    where pod_uid = ${pod.uid} and ended_at is null`.execute(tx);
  if (claims > 0 || (sessions ?? 0n) > 0n) await writeAudit(tx, act, 'closed');
  return jobs.filter((job) => job.state === 'running').map(jobOf);
}

/** Writes the ending to the jobs that the sessions of the Pod were the last known to have, and returns them. */
async function lockJobsOf(tx: Tx, pod: PodRef, ending: Ending | undefined): Promise<readonly JobRow[]> {
  const { rows } = await sql<JobRow>`
    update jobs set
      exit_code = case when exit_reason is null then ${ending?.exitCode ?? null} else exit_code end,
      log_tail = case when exit_reason is null then ${ending?.logTail ?? null} else log_tail end,
      exit_reason = coalesce(exit_reason, ${ending?.reason ?? null})
    from sessions session
    where session.pod_uid = ${pod.uid} and jobs.id = coalesce(session.executed_job_id, session.job_id)
      and (jobs.executor = session.runner_name or (jobs.generation = session.generation
        and jobs.state in ('claimed', 'running') and jobs.executor is null))
    returning jobs.*`.execute(tx);
  return rows;
}

async function giveBack(tx: Tx, { uid }: PodRef): Promise<number> {
  const claims = await tx.selectFrom('claims').select('generation').where('pod_uid', '=', uid).execute();
  for (const { generation } of claims) {
    const held = await lockJobOf(tx, generation);
    if (held === undefined) continue;
    await tx.deleteFrom('claims').where('generation', '=', generation).execute();
    // A promoted claim's runner may have started the job: only GitHub knows.
    if (held.claim.state === 'claimed') await requeue(tx, held.claim);
    await wake(tx, held.claim.pool);
  }
  return claims.length;
}

export async function block(
  tx: Tx,
  { pool, pod, at }: Retirement,
  act: AuditDraft | undefined,
): Promise<'retired' | 'in-use'> {
  await lockPool(tx, pool);
  const { rows } = await sql`
    select 1 from claims where pod_uid = ${pod.uid}
    union all select 1 from sessions where pod_uid = ${pod.uid} and ended_at is null`.execute(tx);
  if (rows.length > 0) return 'in-use';
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('retired_pods')
    .values({ pod_uid: pod.uid, pod_name: pod.name, pool, retired_at: new Date(at) })
    .onConflict((known) => known.column('pod_uid').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n ? writeAudit(tx, act, 'retired') : 'retired';
}
