/** Leases of recovery workers, and suspicions of the last look. */
import { sql, type Kysely } from 'kysely';
import type { Lease, LeaseAnswer, LeaseEnd, LeaseRequest, RenewedLeases } from '../recovery-port.ts';
import { leaseAnswer } from '../job-leases.ts';
import { leaseOf } from './row-shapes.ts';
import type { Schema, SuspectRow } from './schema.ts';
import type { Tx } from './transaction.ts';

export async function acquireLease(tx: Tx, request: LeaseRequest): Promise<LeaseAnswer> {
  const { worker, holder, at, leaseMs } = request;
  await sql`insert into recovery_turns (worker) values (${worker}) on conflict do nothing`.execute(tx);
  // A concurrent request waits here and then sees the taken lease.
  const row = await tx
    .selectFrom('recovery_turns')
    .selectAll()
    .where('worker', '=', worker)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const answer = leaseAnswer(leaseOf(row), request);
  if (answer.kind === 'taken')
    await tx
      .updateTable('recovery_turns')
      .set({ holder, started_at: new Date(at), held_until: new Date(at + leaseMs) })
      .where('worker', '=', worker)
      .execute();
  return answer;
}

export async function renewLeases(tx: Tx, { workers, holder, at, leaseMs }: RenewedLeases): Promise<void> {
  await sql`
    update recovery_turns set held_until = ${new Date(at + leaseMs)}
    where worker = any(${[...workers]}) and holder = ${holder} and held_until is not null`.execute(tx);
}

export async function releaseLease(tx: Tx, { worker, holder, isGood }: LeaseEnd): Promise<void> {
  await sql`
    update recovery_turns set held_until = null,
      good_at = case when ${isGood}::boolean then started_at else good_at end
    where worker = ${worker} and holder = ${holder}`.execute(tx);
}

export async function leases(db: Kysely<Schema>): Promise<readonly Lease[]> {
  const rows = await db.selectFrom('recovery_turns').selectAll().orderBy('worker').execute();
  return rows.map(leaseOf);
}

export interface Look {
  readonly worker: string;
  readonly subjects: readonly string[];
  readonly at: number;
}

export async function suspect(tx: Tx, { worker, subjects, at }: Look): Promise<ReadonlyMap<string, number>> {
  const named = [...new Set(subjects)].toSorted();
  await sql`delete from suspects where worker = ${worker} and subject <> all(${named})`.execute(tx);
  const { rows } = await sql<SuspectRow>`
    insert into suspects (worker, subject, since)
    select ${worker}, subject, ${new Date(at)}::timestamptz from unnest(${named}::text[]) as named (subject)
    on conflict (worker, subject) do update set since = least(suspects.since, excluded.since)
    returning *`.execute(tx);
  return new Map(rows.map(({ subject, since }) => [subject, since.getTime()]));
}
