/** Tells every replica, once the transaction is in, that a Pod of the pool may get something now. */
import { sql } from 'kysely';
import type { Tx } from './transaction.ts';

/** The channel on which replicas listen; what is said on it is the name of a pool. */
export const wakeChannel = 'muster_jobs';

export async function wake(tx: Tx, pool: string): Promise<void> {
  await sql`select pg_notify(${wakeChannel}, ${pool})`.execute(tx);
}
