/** Audit records of the recovery: writes and reads. */
import { sql, type Kysely } from 'kysely';
import { storable } from '../evidence.ts';
import type { ActFilter } from '../recovery-port.ts';
import type { AuditDraft, AuditEntry } from '../rows.ts';
import { actOf } from './row-shapes.ts';
import type { RecoveryActRow, Schema } from './schema.ts';
import type { Tx } from './transaction.ts';

/** Writes the audit record with the outcome of its operation. */
export async function writeAudit<A extends string>(
  tx: Tx,
  act: AuditDraft | undefined,
  outcome: A,
): Promise<A> {
  if (act !== undefined) await record(tx, { ...act, outcome });
  return outcome;
}

export async function record(tx: Tx, act: AuditEntry): Promise<void> {
  await tx
    .insertInto('recovery_acts')
    .values({
      id: act.id,
      at: new Date(act.at),
      kind: act.kind,
      job_id: act.jobId ?? null,
      pod_name: act.pod?.name ?? null,
      pod_uid: act.pod?.uid ?? null,
      generation: act.generation ?? null,
      evidence: storable(act.evidence),
      outcome: act.outcome,
    })
    .onConflict((known) => known.column('id').doNothing())
    .execute();
}

export async function acts(
  db: Kysely<Schema>,
  { jobId, podName, podUids, limit }: ActFilter,
): Promise<readonly AuditEntry[]> {
  const { rows } = await sql<RecoveryActRow>`
    select * from recovery_acts
    where (${jobId ?? null}::text is null or job_id = ${jobId ?? null})
      and (${podName ?? null}::text is null or pod_name = ${podName ?? null})
      and (${podUids === undefined ? null : [...podUids]}::text[] is null
        or pod_uid = any(${[...(podUids ?? [])]}))
    order by at desc, id desc limit ${limit}`.execute(db);
  return rows.map(actOf);
}
