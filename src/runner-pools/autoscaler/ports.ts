/** Where the autoscaler learns how much is asked of a pool. */
import type { Signals } from './target.ts';

export interface RunnerSignals {
  /** Rejects with a `FleetError` when they cannot be had. */
  signals(pool: string): Promise<Signals>;
}
