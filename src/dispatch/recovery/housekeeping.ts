/** What is kept only so that somebody can ask for it is forgotten after a month. */
import type { RecoveryPorts, Tick, Worker } from './worker.ts';

const keepMs = 30 * 86_400_000;

export class Housekeeping implements Worker {
  readonly name = 'housekeeping';
  readonly everyMs = 3_600_000;
  readonly #store: Pick<RecoveryPorts['store'], 'prune'>;

  constructor({ store }: { readonly store: Pick<RecoveryPorts['store'], 'prune'> }) {
    this.#store = store;
  }

  async run({ at }: Tick): Promise<void> {
    await this.#store.prune(at - keepMs);
  }
}
