/** Table types for the query builder; `migrations/` creates the tables. */
import type { Evidence, Platform } from '../rows.ts';

export interface AccountRow {
  readonly id: string;
  readonly login: string;
}

export interface InstallationRow {
  readonly id: string;
  readonly account_id: string;
  readonly state: 'active' | 'suspended' | 'removed';
}

export interface LimitRow {
  readonly account_id: string;
  readonly platform: Platform;
  readonly vcpus: number;
  readonly memory_gb: number;
}

export interface ProfileRow {
  readonly account_id: string;
  readonly name: string;
  readonly platform: Platform;
  readonly vcpus: number;
  readonly memory_gb: number;
  readonly is_protected: boolean;
}

export interface DeliveryRow {
  readonly guid: string;
  readonly event: string;
  readonly action: string;
  readonly received_at: Date;
}

export interface JobRow {
  readonly id: string;
  readonly account_id: string;
  readonly installation_id: string;
  readonly pool: string;
  readonly platform: Platform;
  readonly vcpus: number;
  readonly memory_gb: number;
  readonly label: string;
  readonly repository: string;
  readonly run_id: string;
  readonly run_attempt: number;
  readonly workflow: string;
  readonly name: string;
  readonly branch: string;
  readonly commit: string;
  readonly queued_at: Date;
  /** False if the job waits for approval, or started or ended before it was reported as queued. */
  readonly heard_queued: boolean;
  readonly state: 'waiting' | 'queued' | 'claimed' | 'running' | 'completed';
  readonly generation: string | null;
  readonly claimed_at: Date | null;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
  readonly conclusion: string | null;
  readonly executor: string | null;
  readonly exit_code: number | null;
  readonly exit_reason: string | null;
  readonly log_tail: string | null;
}

export interface ClaimRow {
  readonly generation: string;
  readonly job_id: string;
  readonly account_id: string;
  readonly pool: string;
  readonly pod_name: string;
  readonly pod_uid: string;
  readonly platform: Platform;
  readonly vcpus: number;
  readonly memory_gb: number;
  readonly state: 'claimed' | 'running';
  readonly claimed_at: Date;
  readonly runner_name: string | null;
  readonly executed_job_id: string | null;
}

export interface SessionRow {
  readonly id: string;
  readonly generation: string;
  readonly job_id: string;
  readonly account_id: string;
  readonly pool: string;
  readonly pod_name: string;
  readonly pod_uid: string;
  readonly runner_name: string;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly executed_job_id: string | null;
}

export interface RetiredPodRow {
  readonly pod_uid: string;
  readonly pod_name: string;
  readonly pool: string;
  readonly retired_at: Date;
}

export interface RecoveryActRow {
  readonly id: string;
  readonly at: Date;
  readonly kind: string;
  readonly job_id: string | null;
  readonly pod_name: string | null;
  readonly pod_uid: string | null;
  readonly generation: string | null;
  readonly evidence: Evidence;
  readonly outcome: string;
}

export interface RecoveryLeaseRow {
  readonly worker: string;
  readonly holder: string | null;
  readonly started_at: Date | null;
  readonly held_until: Date | null;
  readonly good_at: Date | null;
}

export interface SuspectRow {
  readonly worker: string;
  readonly subject: string;
  readonly since: Date;
}

export interface Schema {
  readonly accounts: AccountRow;
  readonly installations: InstallationRow;
  readonly limits: LimitRow;
  readonly profiles: ProfileRow;
  readonly deliveries: DeliveryRow;
  readonly jobs: JobRow;
  readonly claims: ClaimRow;
  readonly sessions: SessionRow;
  readonly retired_pods: RetiredPodRow;
  readonly recovery_acts: RecoveryActRow;
  readonly recovery_turns: RecoveryLeaseRow;
  readonly suspects: SuspectRow;
}
