/** Recovery options of the simulator and the tests: default delays, nothing paused. */
import type { RecoveryOptions } from './recovery.ts';

export const usualRecovery: RecoveryOptions = {
  staleClaimAfterMs: 300_000,
  orphanedRunnerAfterMs: 300_000,
  orphanedPodGraceMs: 300_000,
  orphanedPodsMax: 30,
  paused: [],
};
