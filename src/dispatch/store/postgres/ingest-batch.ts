/**
 * Stores many deliveries of queued jobs in one transaction. Only unknown jobs are written here, so the transaction
 * locks no row that another transaction wants: a known job may have a claim, a runner or an end, whose rows are locked
 * in their own order. A delivery about a known job, and a known delivery, gets a transaction of its own.
 */
import { sql } from 'kysely';
import type { EnqueueEffect } from '../port.ts';
import { queuedSince } from '../queued-since.ts';
import type { Delivery } from '../rows.ts';
import { queuedRow, emitQueued } from './effects.ts';
import { deliveryRow } from './row-shapes.ts';
import type { Tx } from './transaction.ts';

export interface QueuedDelivery {
  readonly delivery: Delivery;
  readonly effect: EnqueueEffect;
}

/** Outcomes in order; undefined for deliveries that need their own transaction. */
export async function ingestTogether(
  tx: Tx,
  received: readonly QueuedDelivery[],
): Promise<readonly ('changed' | undefined)[]> {
  // These inserts wait only for a transaction that stores the same rows now. Keep that wait short, and end deadlocks
  // between two batches before the deadlock detector of the server does.
  await sql`set local lock_timeout = '200ms'`.execute(tx);
  const sharing = received.filter(isFirstOfItsKind);
  const guids = await noteDeliveries(tx, sharing);
  const fresh = sharing.filter(({ delivery }) => guids.has(delivery.guid));
  const queued = await enqueueUnheard(tx, fresh);
  await forgetDeliveries(
    tx,
    fresh.filter(({ effect }) => !queued.has(effect.job.id)),
  );
  // Commits with NOTIFY are serialized on the whole server, so one commit for many deliveries may wait longer.
  await sql`set local lock_timeout to default`.execute(tx);
  return received.map((one) =>
    fresh.includes(one) && queued.has(one.effect.job.id) ? 'changed' : undefined,
  );
}

/** A duplicate in the batch is handled after the first is durable. */
function isFirstOfItsKind(
  { delivery, effect }: QueuedDelivery,
  index: number,
  all: readonly QueuedDelivery[],
): boolean {
  return !all
    .slice(0, index)
    .some((one) => one.delivery.guid === delivery.guid || one.effect.job.id === effect.job.id);
}

/** Returns the guids of new deliveries. */
async function noteDeliveries(tx: Tx, received: readonly QueuedDelivery[]): Promise<ReadonlySet<string>> {
  const rows = await tx
    .insertInto('deliveries')
    .values(received.map(({ delivery }) => deliveryRow(delivery)))
    .onConflict((known) => known.column('guid').doNothing())
    .returning('guid')
    .execute();
  return new Set(rows.map(({ guid }) => guid));
}

async function forgetDeliveries(tx: Tx, received: readonly QueuedDelivery[]): Promise<void> {
  if (received.length === 0) return;
  const guids = received.map(({ delivery }) => delivery.guid);
  await tx.deleteFrom('deliveries').where('guid', 'in', guids).execute();
}

/** Returns the ids of new jobs. */
async function enqueueUnheard(tx: Tx, received: readonly QueuedDelivery[]): Promise<ReadonlySet<string>> {
  if (received.length === 0) return new Set();
  const rows = await tx
    .insertInto('jobs')
    .values(received.map(({ effect }) => queuedRow(effect.job, queuedSince(effect, 'webhook').other)))
    .onConflict((known) => known.column('id').doNothing())
    .returning(['id', 'pool'])
    .execute();
  await emitQueued(
    tx,
    rows.map(({ pool }) => pool),
  );
  return new Set(rows.map(({ id }) => id));
}
