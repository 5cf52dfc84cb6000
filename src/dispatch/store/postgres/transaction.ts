/**
 * What a verb works with, and how a verb becomes one transaction that is tried again where that is safe. What it did to jobs
 * is told when it is durable: a transaction that is sent back never happened.
 */
import type { Kysely, Transaction } from 'kysely';
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import { ignoreJobEvents, type JobEvent } from '../job-events.ts';
import { databaseFailure } from './failure.ts';
import type { Schema } from './schema.ts';

export type Tx = Transaction<Schema>;

const untold = new WeakMap<Tx, JobEvent[]>();

/** To be told once the transaction is durable. */
export function emitAfterCommit(tx: Tx, event: JobEvent): void {
  const events = untold.get(tx);
  if (events === undefined) untold.set(tx, [event]);
  else events.push(event);
}

/** Two verbs that waited for each other: one was sent back whole, and goes again at once. */
const attempts = 5;

export async function inTransaction<T>(
  db: Kysely<Schema>,
  verb: (tx: Tx) => Promise<T>,
  reported = ignoreJobEvents,
): Promise<T> {
  const { result, events } = await durable(db, verb);
  for (const event of events) reported(event);
  return result;
}

interface Done<T> {
  readonly result: T;
  readonly events: readonly JobEvent[];
}

async function durable<T>(db: Kysely<Schema>, verb: (tx: Tx) => Promise<T>): Promise<Done<T>> {
  for (let attempt = 1; ; attempt += 1) {
    let isDone = false;
    try {
      return await db
        .transaction()
        // Whatever the server has for a default: who waited for a lock must see what its holder did meanwhile.
        .setIsolationLevel('read committed')
        .execute(async (tx) => {
          const result = await verb(tx);
          isDone = true;
          return { result, events: untold.get(tx) ?? [] };
        });
    } catch (error) {
      // Everything was said, and the answer to the commit is missing: nobody knows.
      const failure = databaseFailure(error, { wasCommitting: isDone });
      if (!isFleetError(failure, 'conflict') || attempt === attempts) throw failure;
    }
  }
}
