/** Locks a pool for the transaction; taken to claim for its Pods or to block a Pod. */
import { sql } from 'kysely';
import type { Tx } from './transaction.ts';

/** Separates our advisory locks from those of other programs in the same database. */
const lockSpace = 0x6d75_7374;

export async function lockPool(tx: Tx, pool: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockSpace}::int, hashtext(${pool}))`.execute(tx);
}
