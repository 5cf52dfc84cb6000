/** A claim that was not promoted given back, and its job to the queue. */
import type { AuditDraft } from '../rows.ts';
import { writeAudit } from './audit.ts';
import { lockJobOf } from './lock-job.ts';
import type { ClaimRow } from './schema.ts';
import { emitAfterCommit, type Tx } from './transaction.ts';
import { wake } from './wake.ts';

export async function release(tx: Tx, generation: string, act?: AuditDraft): Promise<'released' | 'stale'> {
  const held = await lockJobOf(tx, generation);
  // Promoted since the caller looked: a runner may be at work on it, and another Pod must not get its job.
  if (held === undefined || held.claim.state === 'running') return 'stale';
  await tx.deleteFrom('claims').where('generation', '=', generation).execute();
  await requeue(tx, held.claim);
  // Also when nothing went back to the queue: the budget of the account has room again.
  await wake(tx, held.claim.pool);
  return writeAudit(tx, act, 'released');
}

/** The job of a claim that is no more waits again, unless GitHub has said that somebody executes it or that it is over. */
export async function requeue(tx: Tx, { job_id, generation, pool }: ClaimRow): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ state: 'queued', generation: null, claimed_at: null })
    .where('id', '=', job_id)
    .where('generation', '=', generation)
    .where('state', '=', 'claimed')
    .where('executor', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) emitAfterCommit(tx, { kind: 'requeued', pool });
}
