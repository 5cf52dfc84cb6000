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
  const seen = await tx
    .selectFrom('claims')
    .select('job_id')
    .where('generation', '=', generation)
    .executeTakeFirst();
  if (seen === undefined) return undefined;
  const job = await tx
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', seen.job_id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  // Read again: while we waited for the job, somebody may have ended the claim.
  const claim = await tx
    .selectFrom('claims')
    .selectAll()
    .where('generation', '=', generation)
    .forUpdate()
    .executeTakeFirst();
  return claim === undefined ? undefined : { claim, job };
}
