/** Releases an unpromoted claim and requeues its job. */
import type { AuditDraft } from '../rows.ts';
import { writeAudit } from './audit.ts';
import { lockJobOf } from './lock-job.ts';
import type { ClaimRow } from './schema.ts';
import { emitAfterCommit, type Tx } from './transaction.ts';
import { wake } from './wake.ts';

export async function release(tx: Tx, generation: string, act?: AuditDraft): Promise<'released' | 'stale'> {
  const held = await lockJobOf(tx, generation);
  // Promoted since the caller's read: the runner may be executing the job, and another Pod must not get it.
  if (held === undefined || held.claim.state === 'running') return 'stale';
  await tx.deleteFrom('claims').where('generation', '=', generation).execute();
  await requeue(tx, held.claim);
  // Wake even if no job was requeued: the budget of the account has capacity again.
  await wake(tx, held.claim.pool);
  return writeAudit(tx, act, 'released');
}

/** Requeues the job of an ended claim, unless GitHub has reported its start or its end. */
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
