/** What a verb works with, and how a verb becomes one transaction that is tried again where that is safe. */
import type { Kysely, Transaction } from 'kysely';
import { isFleetError } from '../../../errors/fleet-error.ts';
import { nobodyTold } from '../job-events.ts';
import { databaseFailure } from './failure.ts';
import type { Schema } from './schema.ts';
import { eventsOf } from './tell.ts';

export type Tx = Transaction<Schema>;

/** Two verbs that waited for each other: one was sent back whole, and goes again at once. */
const attempts = 5;

export async function inTransaction<T>(
  db: Kysely<Schema>,
  verb: (tx: Tx) => Promise<T>,
  told = nobodyTold,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let isDone = false;
    try {
      const { result, events } = await db.transaction().execute(async (tx) => {
        const done = { result: await verb(tx), events: eventsOf(tx) };
        isDone = true;
        return done;
      });
      for (const event of events) told(event);
      return result;
    } catch (error) {
      // Everything was said, and the answer to the commit is missing: nobody knows.
      const failure = databaseFailure(error, { wasCommitting: isDone });
      if (!isFleetError(failure, 'conflict') || attempt === attempts) throw failure;
    }
  }
}
