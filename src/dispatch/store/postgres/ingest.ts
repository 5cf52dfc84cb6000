/** Stores a delivery and its effect together: either both are durable, or GitHub redelivers. */
import type { Effect, Ingested } from '../port.ts';
import type { Delivery } from '../rows.ts';
import { applyEffect } from './effects.ts';
import { deliveryRow } from './row-shapes.ts';
import type { Tx } from './transaction.ts';

export async function ingest(tx: Tx, delivery: Delivery, effect: Effect): Promise<Ingested> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('deliveries')
    .values(deliveryRow(delivery))
    .onConflict((known) => known.column('guid').doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) return 'known';
  return applyEffect(tx, effect, 'webhook');
}
