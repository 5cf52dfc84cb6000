/**
 * Runs an operation as one transaction, with retries where they are safe. Job events are emitted after the commit,
 * since a rolled back transaction never happened.
 */
import type { Kysely, Transaction } from 'kysely';
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import { ignoreJobEvents, type JobEvent } from '../job-events.ts';
import { databaseFailure } from './failure.ts';
import type { Schema } from './schema.ts';

export type Tx = Transaction<Schema>;

const pendingEvents = new WeakMap<Tx, JobEvent[]>();

/** Queues an event until the transaction is durable. */
export function emitAfterCommit(tx: Tx, event: JobEvent): void {
  const events = pendingEvents.get(tx);
  if (events === undefined) pendingEvents.set(tx, [event]);
  else events.push(event);
}

/** Attempts after a deadlock or serialization failure, which rolls back the whole transaction. */
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
        // Independent of the server's default: after a lock wait, a statement must see what the lock holder committed.
        .setIsolationLevel('read committed')
        .execute(async (tx) => {
          const result = await verb(tx);
          isDone = true;
          return { result, events: pendingEvents.get(tx) ?? [] };
        });
    } catch (error) {
      // If only the answer to the commit is missing, the outcome is unknown.
      const failure = databaseFailure(error, { wasCommitting: isDone });
      if (!isFleetError(failure, 'conflict') || attempt === attempts) throw failure;
    }
  }
}
