/**
 * Deliveries and what follows from them, together: either both are durable, or GitHub is told to send it again. Of a crowd
 * that tells of new jobs, which is most of them, all are written in as many statements as one.
 */
import type { Effect, EnqueueEffect, Ingested } from '../port.ts';
import type { Delivery } from '../rows.ts';
import { applyEffect, enqueueUnheard } from './effects.ts';
import { inOrder } from './in-order.ts';
import type { Tx } from './transaction.ts';

export interface Received {
  readonly delivery: Delivery;
  readonly effect: Effect;
}

/** What became of each, in their order. */
export async function ingest(tx: Tx, received: readonly Received[]): Promise<readonly Ingested[]> {
  const guids = await noteDeliveries(tx, received);
  // Of two attempts of one delivery, the first counts.
  const isFirst = received.map(({ delivery }) => guids.delete(delivery.guid));
  const fresh = received.filter((_, index) => isFirst[index]);
  const queued = await enqueueUnheard(tx, fresh.map(({ effect }) => effect).filter(isEnqueue));
  const outcomes: Ingested[] = [];
  for (const [index, { effect }] of received.entries())
    if (isFirst[index] !== true) outcomes.push('known');
    else if (isEnqueue(effect) && queued.delete(effect.job.id)) outcomes.push('changed');
    else outcomes.push(await applyEffect(tx, effect, 'webhook'));
  return outcomes;
}

/** Ids of those that were not known. */
async function noteDeliveries(tx: Tx, received: readonly Received[]): Promise<Set<string>> {
  const rows = await tx
    .insertInto('deliveries')
    .values(
      inOrder(received, ({ delivery }) => delivery.guid).map(({ delivery }) => ({
        guid: delivery.guid,
        event: delivery.event,
        action: delivery.action,
        received_at: new Date(delivery.receivedAt),
      })),
    )
    .onConflict((known) => known.column('guid').doNothing())
    .returning('guid')
    .execute();
  return new Set(rows.map(({ guid }) => guid));
}

function isEnqueue(effect: Effect): effect is EnqueueEffect {
  return effect.kind === 'enqueue';
}
