/** What a verb did to jobs, kept with its transaction until that is durable: one that is sent back never happened. */
import type { JobEvent } from '../job-events.ts';
import type { Tx } from './transaction.ts';

const untold = new WeakMap<Tx, JobEvent[]>();

export function tell(tx: Tx, event: JobEvent): void {
  const events = untold.get(tx);
  if (events === undefined) untold.set(tx, [event]);
  else events.push(event);
}

export function eventsOf(tx: Tx): readonly JobEvent[] {
  return untold.get(tx) ?? [];
}
