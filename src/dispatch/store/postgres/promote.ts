/** Promotes a claim just before its registration is handed out: claim, job and session change together. */
import { sql } from 'kysely';
import type { Promotion } from '../port.ts';
import { lockJobOf } from './lock-job.ts';
import { emitAfterCommit, type Tx } from './transaction.ts';

export async function promote(
  tx: Tx,
  { generation, runnerName, sessionId, at }: Promotion,
): Promise<'promoted' | 'finished' | 'stale'> {
  const held = await lockJobOf(tx, generation);
  if (held === undefined) return 'stale';
  // A repeated promotion, after a lost answer.
  if (held.claim.state === 'running') return held.claim.runner_name === runnerName ? 'promoted' : 'stale';
  // Or GitHub has named another runner: this one would find no job and hold its Pod for nothing.
  if (held.job.state === 'completed' || held.job.executor !== null) return 'finished';
  await tx
    .updateTable('claims')
    .set({ state: 'running', runner_name: runnerName })
    .where('generation', '=', generation)
    .execute();
  await tx
    .updateTable('jobs')
    .set({ state: 'running' })
    .where('id', '=', held.job.id)
    .where('generation', '=', generation)
    .where('state', '=', 'claimed')
    .execute();
  await sql`
    insert into sessions (id, generation, job_id, account_id, pool, pod_name, pod_uid, runner_name, started_at)
    select ${sessionId}, generation, job_id, account_id, pool, pod_name, pod_uid, runner_name, ${new Date(at)}
    from claims where generation = ${generation}`.execute(tx);
  const { pool, claimed_at: claimedAt } = held.claim;
  const queuedAt = held.job.queued_at.getTime();
  emitAfterCommit(tx, { kind: 'running', pool, queuedAt, claimedAt: claimedAt.getTime(), at });
  return 'promoted';
}
