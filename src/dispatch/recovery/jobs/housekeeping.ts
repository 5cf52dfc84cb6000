/**
 * What is kept only so that somebody can ask for it is forgotten: after a month what was done and the last words of jobs, after
 * three the jobs themselves. GitHub sends nothing again of a job that ended so long ago.
 */
import type { RecoveryPorts, Tick, Worker } from '../scheduler/worker.ts';

const dayMs = 86_400_000;
const notesMs = 30 * dayMs;
const jobsMs = 90 * dayMs;
/** So often in a turn, where much has gathered; the next turn goes on. */
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
