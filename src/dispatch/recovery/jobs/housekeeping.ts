/**
 * Deletes old rows: audit records and job logs after a month, jobs after three. GitHub sends no more webhooks about a
 * job that ended so long ago.
 */
import type { RecoveryPorts, Tick, Worker } from '../scheduler/worker.ts';

const dayMs = 86_400_000;
const notesMs = 30 * dayMs;
const jobsMs = 90 * dayMs;
/** Batches per run; the next run continues. */
const roundsMax = 20;

export class Housekeeping implements Worker {
  readonly name = 'housekeeping';
  readonly everyMs = 3_600_000;
  readonly #store: Pick<RecoveryPorts['store'], 'prune'>;

  constructor({ store }: { readonly store: Pick<RecoveryPorts['store'], 'prune'> }) {
    this.#store = store;
  }

  async run({ at }: Tick): Promise<void> {
    const bygone = { notesBefore: at - notesMs, jobsBefore: at - jobsMs };
    for (let round = 1; round <= roundsMax; round += 1)
      if ((await this.#store.prune(bygone)) === 'all') return;
  }
}
