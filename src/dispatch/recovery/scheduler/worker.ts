/** What every worker of the recovery is and has. Each looks, decides without any effect, and then acts. */
import type { Clock } from '../../../platform/clock.ts';
import type { GitHub } from '../../github/port.ts';
import type { JobStore } from '../../store/port.ts';
import type { AuditDraft, Evidence, PodRef } from '../../store/rows.ts';
import type { RunnerPods } from '../pods/runner-pods.ts';
import type { WorkerName } from './worker-names.ts';

/** How the metric calls what was set right; names of existing dashboards. */
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
  /** The runner of the job is lost. It waits again, and is not handed out for a while, the longer the more often that was so. */
  readonly restAfterLoss: (jobId: string) => void;
  /** Something that a person may want to know: left for the next turn, or not done and why. */
  readonly say: (happened: string, about: object) => void;
}

export interface Tick {
  readonly at: number;
  /** When the last turn began that went well, on whatever replica. */
  readonly goodAt: number | undefined;
}

export interface Worker {
  readonly name: WorkerName;
  readonly everyMs: number;
  run(tick: Tick): Promise<void>;
}

/** An act, as it is written together with what it is about. */
export function draftOf(
  { newId, clock }: Pick<RecoveryPorts, 'newId' | 'clock'>,
  kind: RecoveryKind,
  { jobId, pod, generation, evidence }: About & { readonly evidence: Evidence },
): AuditDraft {
  const podRef = pod && { name: pod.name, uid: pod.uid };
  return { id: newId(), at: clock.now(), kind, jobId, pod: podRef, generation, evidence };
}
