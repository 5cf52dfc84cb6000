/** The source of the signals of a pool. */
import type { Signals } from './target.ts';

export interface RunnerSignals {
  /** Rejects with a `FleetError` if the signals are not available. */
  signals(pool: string): Promise<Signals>;
}
