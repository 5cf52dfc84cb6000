/** Notifies every replica, after the commit, that a Pod of the pool may get a job. */
import { sql } from 'kysely';
import type { Tx } from './transaction.ts';

/** The channel that replicas listen on; the payload is the name of a pool. */
export const wakeChannel = 'muster_jobs';

export async function wake(tx: Tx, pool: string): Promise<void> {
  await sql`select pg_notify(${wakeChannel}, ${pool})`.execute(tx);
}
