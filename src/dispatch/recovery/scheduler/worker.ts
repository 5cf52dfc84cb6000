/** What every recovery worker is and has. Each worker reads, decides without side effects, then acts. */
import type { Clock } from '../../../platform/clock.ts';
import type { GitHub } from '../../github/port.ts';
import type { JobStore } from '../../store/port.ts';
import type { AuditDraft, Evidence, PodRef } from '../../store/rows.ts';
import type { RunnerPods } from '../pods/runner-pods.ts';
import type { WorkerName } from './worker-names.ts';

/** Values of the metric label `kind`; existing dashboards use these names. */
export const recoveryKinds = [
  'stale_claim',
  'completed_claim',
  'orphan_requeued',
  'orphan_started',
  'orphan_completed',
  'orphaned_stamped_pod',
  'pod_missing_claim',
  'orphaned_runner_session',
  'pod_stop_recovery_scheduled',
  'queued_completed',
  'queued_reaped',
  'queued_started',
  'queued_found',
  'installation_found',
  'redelivered',
  'ghost_runner',
] as const;

export type RecoveryKind = (typeof recoveryKinds)[number];

export interface About {
  readonly jobId?: string | undefined;
  readonly pod?: PodRef | undefined;
  readonly generation?: string | undefined;
}

export interface RecoveryPorts {
  readonly store: JobStore;
  readonly pods: RunnerPods;
  readonly github: GitHub;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly recovered: (kind: RecoveryKind, about: About & { readonly evidence: Evidence }) => void;
  /** Puts a job whose runner was lost on cooldown; each further loss makes the cooldown longer. */
  readonly restAfterLoss: (jobId: string) => void;
  /** Logs what an operator may want to know: work left for the next run, or not done and why. */
  readonly say: (happened: string, about: object) => void;
}

export interface Tick {
  readonly at: number;
  /** When the last successful run began, on any replica. */
  readonly goodAt: number | undefined;
}

export interface Worker {
  readonly name: WorkerName;
  readonly everyMs: number;
  run(tick: Tick): Promise<void>;
}

/** The audit record of a repair, written together with its effect. */
export function draftOf(
  { newId, clock }: Pick<RecoveryPorts, 'newId' | 'clock'>,
  kind: RecoveryKind,
  { jobId, pod, generation, evidence }: About & { readonly evidence: Evidence },
): AuditDraft {
  const podRef = pod && { name: pod.name, uid: pod.uid };
  return { id: newId(), at: clock.now(), kind, jobId, pod: podRef, generation, evidence };
}
