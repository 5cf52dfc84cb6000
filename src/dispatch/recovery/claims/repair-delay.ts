/** How long something had been wrong when it was set right, as far as the evidence says. */
import type { Evidence } from '../../store/rows.ts';
import type { RecoveryKind } from '../scheduler/worker.ts';

/** What to read of the evidence, the first that is there; nothing where nobody knows since when it was wrong. */
const wrongSince: Readonly<Record<RecoveryKind, readonly string[]>> = {
  stale_claim: ['claimedForMs'],
  completed_claim: ['overForMs'],
  orphan_requeued: ['claimedForMs'],
  orphan_started: ['atWorkForMs'],
  orphan_completed: ['overForMs', 'unknownForMs'],
  // One whose job is over was right to have its stamp until then.
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
  // Two clocks may disagree by some moments; nothing takes less than none.
  return typeof said === 'number' ? Math.max(0, said) : undefined;
}
