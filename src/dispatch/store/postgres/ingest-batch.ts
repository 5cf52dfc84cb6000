/**
 * Deliveries that tell of queued jobs, many in one transaction. Only jobs that nobody has heard of are written here, so that it
 * locks no row that somebody else could want: one that is known has a claim, a runner or an end, whose rows are locked in an order
 * of their own. Such a delivery, and one that is known itself, is left for a transaction of its own.
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

/** What became of each, in their order; undefined for those that are left. */
export async function ingestTogether(
  tx: Tx,
  received: readonly QueuedDelivery[],
): Promise<readonly ('changed' | undefined)[]> {
  // Its rows can only wait for somebody who is storing the same ones just now. Nobody else should wait for that for long; and two
  // crowds that want of each other what they have part before the server would have to part them.
  await sql`set local lock_timeout = '200ms'`.execute(tx);
  const sharing = received.filter(isFirstOfItsKind);
  const guids = await noteDeliveries(tx, sharing);
  const fresh = sharing.filter(({ delivery }) => guids.has(delivery.guid));
  const queued = await enqueueUnheard(tx, fresh);
  await forgetDeliveries(
    tx,
    fresh.filter(({ effect }) => !queued.has(effect.job.id)),
  );
  // Commits that wake somebody take turns on the whole server, and one for many is worth its turn.
  await sql`set local lock_timeout to default`.execute(tx);
  return received.map((one) =>
    fresh.includes(one) && queued.has(one.effect.job.id) ? 'changed' : undefined,
  );
}

/** What is said twice in one moment is judged once the first of it is durable. */
function isFirstOfItsKind(
  { delivery, effect }: QueuedDelivery,
  index: number,
  all: readonly QueuedDelivery[],
): boolean {
  return !all
    .slice(0, index)
    .some((one) => one.delivery.guid === delivery.guid || one.effect.job.id === effect.job.id);
}

/** Ids of those that were not known. */
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

/** Ids of the jobs that nobody had heard of. */
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
