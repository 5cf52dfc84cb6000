/**
 * Locks the job of a claim, then the claim. Every operation locks the job before the claim, so two operations on the
 * same pair cannot deadlock.
 */
import type { ClaimRow, JobRow } from './schema.ts';
import type { Tx } from './transaction.ts';

export interface HeldClaim {
  readonly claim: ClaimRow;
  readonly job: JobRow;
}

export async function lockJobOf(tx: Tx, generation: string): Promise<HeldClaim | undefined> {
  const claimed = tx.selectFrom('claims').where('generation', '=', generation);
  for (;;) {
    const seen = await claimed.select('job_id').executeTakeFirst();
    if (seen === undefined) return undefined;
    const job = await tx
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', seen.job_id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    // Read again: while this waited for the job, the claim may have ended or moved to another job.
    const claim = await claimed.selectAll().forUpdate().executeTakeFirst();
    if (claim === undefined) return undefined;
    if (claim.job_id === job.id) return { claim, job };
  }
}
