/**
 * A claim together with its job, whose row is locked. Every verb takes the job before the claim, whatever it came for:
 * two that meet on the same pair then wait for one another instead of for each other.
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
    // Read again: while we waited for the job, somebody may have ended the claim, or given it another job.
    const claim = await claimed.selectAll().forUpdate().executeTakeFirst();
    if (claim === undefined) return undefined;
    if (claim.job_id === job.id) return { claim, job };
  }
}
