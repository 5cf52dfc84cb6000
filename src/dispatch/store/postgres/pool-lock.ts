/** Whoever claims for Pods of a pool, or retires one, has the pool for the length of the transaction. */
import { sql } from 'kysely';
import type { Tx } from './transaction.ts';

/** Keeps our advisory locks apart from those of others in the same database. */
const lockSpace = 0x6d75_7374;

export async function lockPool(tx: Tx, pool: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockSpace}::int, hashtext(${pool}))`.execute(tx);
}
