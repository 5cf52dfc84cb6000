/** Converts between table rows and the types of the port. */
import type { Lease } from '../recovery-port.ts';
import type {
  Claim,
  Delivery,
  Ending,
  Installation,
  Job,
  JobDraft,
  Limit,
  Profile,
  AuditEntry,
  Session,
  Shape,
} from '../rows.ts';
import type {
  ClaimRow,
  DeliveryRow,
  InstallationRow,
  JobRow,
  LimitRow,
  ProfileRow,
  RecoveryActRow,
  RecoveryLeaseRow,
  SessionRow,
} from './schema.ts';

export function jobOf(row: JobRow): Job {
  return {
    id: row.id,
    accountId: row.account_id,
    installationId: row.installation_id,
    pool: row.pool,
    shape: shapeOf(row),
    label: row.label,
    repository: row.repository,
    runId: row.run_id,
    runAttempt: row.run_attempt,
    workflow: row.workflow,
    name: row.name,
    branch: row.branch,
    commit: row.commit,
    queuedAt: row.queued_at.getTime(),
    state: row.state,
    generation: row.generation ?? undefined,
    claimedAt: row.claimed_at?.getTime(),
    startedAt: row.started_at?.getTime(),
    completedAt: row.completed_at?.getTime(),
    conclusion: row.conclusion ?? undefined,
    executor: row.executor ?? undefined,
    ending: endingOf(row),
  };
}

function endingOf(row: JobRow): Ending | undefined {
  if (row.exit_reason === null) return undefined;
  return { exitCode: row.exit_code ?? undefined, reason: row.exit_reason, logTail: row.log_tail ?? '' };
}

export function draftRow(
  draft: JobDraft,
): Omit<
  JobRow,
  | 'heard_queued'
  | 'state'
  | 'generation'
  | 'claimed_at'
  | 'started_at'
  | 'completed_at'
  | 'conclusion'
  | 'executor'
  | 'exit_code'
  | 'exit_reason'
  | 'log_tail'
> {
  return {
    id: draft.id,
    account_id: draft.accountId,
    installation_id: draft.installationId,
    pool: draft.pool,
    platform: draft.shape.platform,
    vcpus: draft.shape.vcpus,
    memory_gb: draft.shape.memoryGb,
    label: draft.label,
    repository: draft.repository,
    run_id: draft.runId,
    run_attempt: draft.runAttempt,
    workflow: draft.workflow,
    name: draft.name,
    branch: draft.branch,
    commit: draft.commit,
    queued_at: new Date(draft.queuedAt),
  };
}

export function deliveryRow(delivery: Delivery): DeliveryRow {
  return {
    guid: delivery.guid,
    event: delivery.event,
    action: delivery.action,
    received_at: new Date(delivery.receivedAt),
  };
}

export function claimOf(row: ClaimRow): Claim {
  return {
    generation: row.generation,
    jobId: row.job_id,
    accountId: row.account_id,
    pool: row.pool,
    pod: { name: row.pod_name, uid: row.pod_uid },
    shape: shapeOf(row),
    state: row.state,
    claimedAt: row.claimed_at.getTime(),
    runnerName: row.runner_name ?? undefined,
    executedJobId: row.executed_job_id ?? undefined,
  };
}

export function sessionOf(row: SessionRow): Session {
  return {
    id: row.id,
    generation: row.generation,
    jobId: row.job_id,
    accountId: row.account_id,
    pool: row.pool,
    pod: { name: row.pod_name, uid: row.pod_uid },
    runnerName: row.runner_name,
    startedAt: row.started_at.getTime(),
    endedAt: row.ended_at?.getTime(),
    executedJobId: row.executed_job_id ?? undefined,
  };
}

export function limitOf(row: LimitRow): Limit {
  return {
    accountId: row.account_id,
    platform: row.platform,
    vcpus: row.vcpus,
    memoryGb: row.memory_gb,
  };
}

export function profileOf(row: ProfileRow): Profile {
  return { accountId: row.account_id, name: row.name, ...shapeOf(row), isProtected: row.is_protected };
}

export function profileRow(profile: Profile): ProfileRow {
  return {
    account_id: profile.accountId,
    name: profile.name,
    platform: profile.platform,
    vcpus: profile.vcpus,
    memory_gb: profile.memoryGb,
    is_protected: profile.isProtected,
  };
}

export function installationOf(row: InstallationRow): Installation {
  return { id: row.id, accountId: row.account_id, state: row.state };
}

export function actOf(row: RecoveryActRow): AuditEntry {
  const { pod_name: name, pod_uid: uid } = row;
  return {
    id: row.id,
    at: row.at.getTime(),
    kind: row.kind,
    jobId: row.job_id ?? undefined,
    pod: name === null || uid === null ? undefined : { name, uid },
    generation: row.generation ?? undefined,
    evidence: row.evidence,
    outcome: row.outcome,
  };
}

export function leaseOf(row: RecoveryLeaseRow): Lease {
  return {
    worker: row.worker,
    holder: row.holder ?? undefined,
    startedAt: row.started_at?.getTime(),
    heldUntil: row.held_until?.getTime(),
    goodAt: row.good_at?.getTime(),
  };
}

function shapeOf(row: Pick<JobRow, 'platform' | 'vcpus' | 'memory_gb'>): Shape {
  return { platform: row.platform, vcpus: row.vcpus, memoryGb: row.memory_gb };
}
