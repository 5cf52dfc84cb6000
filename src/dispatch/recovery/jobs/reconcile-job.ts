/**
 * One job that was handed out, held against what GitHub says of it. Used for those that a turn finds, and at once for those
 * whose Pod was reported stopped.
 *
 * | GitHub says    | then                                                                            |
 * | -------------- | ------------------------------------------------------------------------------- |
 * | queued         | it waits here too, if its runner will not come any more                         |
 * | in progress    | who executes it is written down, where that was not known; nothing else         |
 * | completed      | it is over, as GitHub says                                                      |
 * | not known      | it is over, when that is so at two looks                                        |
 * | anything else  | nothing                                                                         |
 *
 * A job that waits again is not run twice because of us: GitHub gives a job to one runner, whoever that is. What must not
 * be is a Pod that nobody sees. So, when a job is taken from a Pod that lives:
 * - its runner must not be on the line at GitHub, and its registration is removed there first, which GitHub refuses while it
 *   works. After that it can be given nothing, however late it comes: its process ends, and so does the Pod.
 * - its session stays open. Dispatch answers the Pod that it was served, the autoscaler counts it, nobody takes it for an
 *   orphan; `pods/stopped` or the reconciliation of Pods closes the session when the Pod is gone, and if it does not go by
 *   itself, `orphaned-stamped-pods` removes it.
 * A runner that is on the line and idle is left alone: it is GitHub that has not given it the job yet.
 */
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { JobAtGitHub, Tenant } from '../../github/port.ts';
import type { AbandonEvidence } from '../../store/recovery-port.ts';
import type { Effect } from '../../store/port.ts';
import type { Claim, Evidence, Job, PodRef } from '../../store/rows.ts';
import { removeRunner } from '../registrations/remove-runner.ts';
import { draftOf, type RecoveryPorts } from '../scheduler/worker.ts';

/**
 * Why GitHub is asked. `unattended`: GitHub named a runner, and no Pod of ours with it is there any more. `at_work`: it is
 * there, and has been for long. Neither is ever abandoned: who began a job is its runner until GitHub says that it is over.
 */
export type ReconcileReason = AbandonEvidence | 'unattended' | 'at_work';

export interface JobLook {
  readonly job: Job;
  readonly reason: ReconcileReason;
  readonly claim: Claim | undefined;
  /** The Pod it was handed to, where that is known without a claim. */
  readonly pod?: PodRef | undefined;
  /** How its runner is called; undefined where its session is closed. */
  readonly runnerName: string | undefined;
}

export type JobVerdict =
  | { readonly act: 'abandon'; readonly evidence: AbandonEvidence; readonly needsRunnerGone: boolean }
  | { readonly act: 'apply'; readonly effect: Effect; readonly kind: 'orphan_started' | 'orphan_completed' }
  | { readonly act: 'suspect-gone' }
  | { readonly act: 'leave' };

const remove: JobVerdict = { act: 'leave' };

/** `told` is undefined where GitHub knows no such job. */
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
      return remove;
  }
}

function decideWaiting({ job, reason, claim }: JobLook): JobVerdict {
  if (reason === 'unattended' || reason === 'at_work' || job.executor !== undefined) return remove;
  // Its runner is at work on another job.
  if (reason === 'aged_out' && claim?.executedJobId !== undefined) return remove;
  return { act: 'abandon', evidence: reason, needsRunnerGone: reason === 'aged_out' };
}

function decideStarted(job: Job, { runnerName, startedAt }: JobAtGitHub): JobVerdict {
  if (job.executor !== undefined || runnerName === undefined) return remove;
  const effect = { kind: 'start', job, runnerName, at: startedAt ?? job.queuedAt } as const;
  return { act: 'apply', kind: 'orphan_started', effect };
}

export function completionOf(job: Job, reported: JobAtGitHub): Effect {
  const { runnerName, startedAt, completedAt, conclusion } = reported;
  const at = completedAt ?? job.queuedAt;
  return { kind: 'complete', job, end: { runnerName, startedAt, conclusion: conclusion ?? 'unknown', at } };
}

/** Undefined where GitHub knows no such job. */
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

/** Looks at one job and does what follows; `leave` also where there is nothing to do about it yet. */
export async function reconcileJob(ports: RecoveryPorts, look: JobLook): Promise<JobVerdict> {
  const reported = await askGitHub(ports, look.job);
  const verdict = decideJob(look, reported);
  const evidence = { reason: look.reason, github: reported?.status ?? 'unknown' };
  if (verdict.act === 'abandon')
    return (await abandon(ports, look, { verdict, evidence })) ? verdict : remove;
  if (verdict.act === 'apply') {
    const since = sinceOf(reported, ports.clock.now());
    const about = aboutOf(look, { ...evidence, ...since, runner: reported?.runnerName ?? 'none' });
    const act = draftOf(ports, verdict.kind, about);
    if ((await ports.store.apply(verdict.effect, act)) === 'changed') ports.recovered(verdict.kind, about);
  }
  return verdict;
}

/** For how long GitHub has known what we did not. */
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

/** Whether it was its turn: a runner that is on the line may be given the job at any moment. */
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
  // Before the write, of which Pods that wait may hear sooner than we do; a rest does no harm to a job that nobody may claim.
  ports.restAfterLoss(jobId);
  const answer = await ports.store.abandon({ jobId, generation, evidence: verdict.evidence }, act);
  if (answer === 'requeued') ports.recovered('orphan_requeued', about);
  return true;
}

/** What GitHub says of the runner; one that GitHub does not see on the line is registered no more after this. */
async function deregisterIfOffline(
  ports: RecoveryPorts,
  { job: { id: jobId, generation, installationId, repository }, claim, runnerName }: JobLook,
): Promise<'online' | 'busy' | 'removed' | 'not registered'> {
  const tenant: Tenant = { installationId, repository };
  // One request, however many runners the organisation has.
  const runner = runnerName === undefined ? undefined : await ports.github.runnerNamed(tenant, runnerName);
  if (runner === undefined) return 'not registered';
  if (runner.isOnline) return 'online';
  const about = { jobId, pod: claim?.pod, generation };
  return (await removeRunner(ports, { tenant, runner, about })) === 'busy' ? 'busy' : 'removed';
}
