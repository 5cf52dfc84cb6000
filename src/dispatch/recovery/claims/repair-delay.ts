/** How long a defect had lasted when it was repaired, as far as the evidence says. */
import type { Evidence } from '../../store/rows.ts';
import type { RecoveryKind } from '../scheduler/worker.ts';

/**
 * The evidence fields that say how long the defect lasted; the
 * first present field counts. Empty where no field says it.
 */
const wrongSince: Readonly<Record<RecoveryKind, readonly string[]>> = {
  stale_claim: ['claimedForMs'],
  completed_claim: ['overForMs'],
  orphan_requeued: ['claimedForMs'],
  orphan_started: ['atWorkForMs'],
  orphan_completed: ['overForMs', 'unknownForMs'],
  // For finished jobs, count from the end of the job.
  orphaned_stamped_pod: ['finishedForMs', 'stampedForMs'],
  pod_missing_claim: ['missingForMs'],
  orphaned_runner_session: ['missingForMs'],
  pod_stop_recovery_scheduled: [],
  queued_completed: ['overForMs', 'queuedForMs'],
  queued_reaped: ['queuedForMs'],
  queued_started: ['atWorkForMs', 'queuedForMs'],
  queued_found: ['queuedForMs'],
  installation_found: [],
  redelivered: ['failedForMs'],
  ghost_runner: [],
};

export function strandedMs(kind: RecoveryKind, evidence: Evidence): number | undefined {
  const said = wrongSince[kind].map((name) => evidence[name]).find((value) => value !== undefined);
  // Clocks of replicas and GitHub differ slightly, so a negative duration counts as zero.
  return typeof said === 'number' ? Math.max(0, said) : undefined;
}
