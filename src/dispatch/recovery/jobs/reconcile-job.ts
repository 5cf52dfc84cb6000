/**
 * Compares one handed-out job with GitHub. Used for the jobs that a
 * run finds, and for jobs whose Pod was just reported as stopped.
 *
 * | GitHub says    | then                                                                            |
 * | -------------- | ------------------------------------------------------------------------------- |
 * | queued         | requeue the job if its runner can no longer start                               |
 * | in progress    | store the runner that executes the job, if unknown                              |
 * | completed      | complete the job as GitHub says                                                 |
 * | not known      | complete the job if a second look also finds it unknown                         |
 * | anything else  | nothing                                                                         |
 *
 * A requeue never runs a job twice: GitHub gives a job to one runner only. What must not happen is that a live Pod is
 * forgotten. So, when a job is taken from a live Pod:
 * - Its runner must be offline at GitHub, and its registration is removed first. GitHub refuses the removal of a busy
 *   runner. After the removal the runner can get no job, however late it starts: its process ends, and so does the Pod.
 * - Its session stays open. Dispatch answers the Pod that it was served, the autoscaler counts the Pod, and no worker
 *   takes it for an orphan. `pods/stopped` or the reconciliation of Pods closes the session when the Pod is gone. If
 *   the Pod does not end, `orphaned-stamped-pods` removes it.
 *
 * A runner that is online and idle is left alone: GitHub has not assigned the job yet.
 */
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { JobAtGitHub, Tenant } from '../../github/port.ts';
import type { AbandonEvidence } from '../../store/recovery-port.ts';
import type { Effect } from '../../store/port.ts';
import type { Claim, Evidence, Job, PodRef } from '../../store/rows.ts';
import { removeRunner } from '../registrations/remove-runner.ts';
import { draftOf, type RecoveryPorts } from '../scheduler/worker.ts';

/**
 * Why GitHub is queried. `unattended`: GitHub named a runner, and no Pod of ours with that runner exists any more.
 * `at_work`: the Pod exists, and the job has run for long. Such jobs are never abandoned: the runner that began a job
 * keeps it until GitHub says that the job is over.
 */
export type ReconcileReason = AbandonEvidence | 'unattended' | 'at_work';

export interface JobLook {
  readonly job: Job;
  readonly reason: ReconcileReason;
  readonly claim: Claim | undefined;
  /** The Pod of the job, where known without a claim. */
  readonly pod?: PodRef | undefined;
  /** The name of the runner; undefined if its session is closed. */
  readonly runnerName: string | undefined;
}

export type JobVerdict =
  | { readonly act: 'abandon'; readonly evidence: AbandonEvidence; readonly needsRunnerGone: boolean }
  | { readonly act: 'apply'; readonly effect: Effect; readonly kind: 'orphan_started' | 'orphan_completed' }
  | { readonly act: 'suspect-gone' }
  | { readonly act: 'none' };

const keep: JobVerdict = { act: 'none' };

/** `reported` is undefined if GitHub knows no such job. */
export function decideJob(look: JobLook, reported: JobAtGitHub | undefined): JobVerdict {
  switch (reported?.status) {
    case undefined:
      return { act: 'suspect-gone' };
    case 'queued':
      return decideWaiting(look);
    case 'in_progress':
      return decideStarted(look.job, reported);
    case 'completed':
      return { act: 'apply', kind: 'orphan_completed', effect: completionOf(look.job, reported) };
    case 'waiting':
    case 'other':
      return keep;
  }
}

function decideWaiting({ job, reason, claim }: JobLook): JobVerdict {
  if (reason === 'unattended' || reason === 'at_work' || job.executor !== undefined) return keep;
  // The runner of the claim executes another job.
  if (reason === 'aged_out' && claim?.executedJobId !== undefined) return keep;
  return { act: 'abandon', evidence: reason, needsRunnerGone: reason === 'aged_out' };
}

function decideStarted(job: Job, { runnerName, startedAt }: JobAtGitHub): JobVerdict {
  if (job.executor !== undefined || runnerName === undefined) return keep;
  const effect = { kind: 'start', job, runnerName, at: startedAt ?? job.queuedAt } as const;
  return { act: 'apply', kind: 'orphan_started', effect };
}

export function completionOf(job: Job, reported: JobAtGitHub): Effect {
  const { runnerName, startedAt, completedAt, conclusion } = reported;
  const at = completedAt ?? job.queuedAt;
  return { kind: 'complete', job, end: { runnerName, startedAt, conclusion: conclusion ?? 'unknown', at } };
}

/** Returns undefined if GitHub knows no such job. */
export async function askGitHub(
  { github }: Pick<RecoveryPorts, 'github'>,
  { id, installationId, repository }: Job,
): Promise<JobAtGitHub | undefined> {
  try {
    return await github.job({ installationId, repository }, id);
  } catch (error) {
    if (isFleetError(error, 'gone')) return undefined;
    throw error;
  }
}

/** Reconciles one job. Returns `none` also if nothing can be done yet. */
export async function reconcileJob(ports: RecoveryPorts, look: JobLook): Promise<JobVerdict> {
  const reported = await askGitHub(ports, look.job);
  const verdict = decideJob(look, reported);
  const evidence = { reason: look.reason, github: reported?.status ?? 'unknown' };
  if (verdict.act === 'abandon') return (await abandon(ports, look, { verdict, evidence })) ? verdict : keep;
  if (verdict.act === 'apply') {
    const since = sinceOf(reported, ports.clock.now());
    const about = aboutOf(look, { ...evidence, ...since, runner: reported?.runnerName ?? 'none' });
    const act = draftOf(ports, verdict.kind, about);
    if ((await ports.store.apply(verdict.effect, act)) === 'changed') ports.recovered(verdict.kind, about);
  }
  return verdict;
}

/** How long GitHub has known the state that the store lacks. */
export function sinceOf(reported: JobAtGitHub | undefined, now: number): Evidence {
  if (reported?.completedAt !== undefined) return { overForMs: now - reported.completedAt };
  return reported?.startedAt === undefined ? {} : { atWorkForMs: now - reported.startedAt };
}

function aboutOf({ job, claim, pod }: JobLook, evidence: Evidence) {
  return { jobId: job.id, pod: claim?.pod ?? pod, generation: job.generation, evidence };
}

interface Abandoning {
  readonly verdict: Extract<JobVerdict, { act: 'abandon' }>;
  readonly evidence: Evidence;
}

/** Returns false if the job stays with its runner: GitHub may give the job to an online runner at any moment. */
async function abandon(
  ports: RecoveryPorts,
  look: JobLook,
  { verdict, evidence }: Abandoning,
): Promise<boolean> {
  const { job } = look;
  const { id: jobId, generation } = job;
  if (generation === undefined) return false;
  const runner = verdict.needsRunnerGone ? await deregisterIfOffline(ports, look) : 'not asked';
  if (runner === 'online' || runner === 'busy') return false;
  const claimedForMs = ports.clock.now() - (job.claimedAt ?? job.queuedAt);
  const about = aboutOf(look, { ...evidence, runner, claimedForMs });
  const act = draftOf(ports, 'orphan_requeued', about);
  // Before the write: waiting polls may see the requeued job before this replica continues. An early cooldown does no
  // harm, since the job cannot be claimed yet.
  ports.restAfterLoss(jobId);
  const answer = await ports.store.abandon({ jobId, generation, evidence: verdict.evidence }, act);
  if (answer === 'requeued') ports.recovered('orphan_requeued', about);
  return true;
}

/** Removes the registration if the runner is offline and idle; returns its state at GitHub. */
async function deregisterIfOffline(
  ports: RecoveryPorts,
  { job: { id: jobId, generation, installationId, repository }, claim, runnerName }: JobLook,
): Promise<'online' | 'busy' | 'removed' | 'not registered'> {
  const tenant: Tenant = { installationId, repository };
  // A lookup by name is one request, however many runners the organisation has.
  const runner = runnerName === undefined ? undefined : await ports.github.runnerNamed(tenant, runnerName);
  if (runner === undefined) return 'not registered';
  if (runner.isOnline) return 'online';
  const about = { jobId, pod: claim?.pod, generation };
  return (await removeRunner(ports, { tenant, runner, about })) === 'busy' ? 'busy' : 'removed';
}
