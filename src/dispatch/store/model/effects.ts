/** Effects of webhooks in memory. Any order and any repetition of the same webhooks ends in the same state. */
import { isDeepStrictEqual } from 'node:util';
import { defaultLimits } from '../default-limits.ts';
import type { Effect } from '../port.ts';
import { queuedSince, type HeardBy } from '../queued-since.ts';
import type { Claim, Job, JobDraft } from '../rows.ts';
import { isStillOf } from './claims.ts';
import { addFirstProfile } from './profiles.ts';
import { newJob, type Tables } from './tables.ts';

type Of<K extends Effect['kind']> = Extract<Effect, { kind: K }>;
type Change = 'changed' | 'unchanged';

export function applyEffect(tables: Tables, effect: Effect, by: HeardBy): Change {
  switch (effect.kind) {
    case 'wait':
      return withName(tables, effect.job, insertUnlessKnown(tables, newJob(effect.job, 'waiting')));
    case 'enqueue':
      return withName(tables, effect.job, enqueue(tables, effect, by));
    case 'start':
      return withName(tables, effect.job, start(tables, effect));
    case 'complete':
      return complete(tables, effect);
    case 'install':
      return install(tables, effect);
  }
}

/**
 * Updates the repository name, by which GitHub is queried; a repository may be renamed while its job waits. Not an
 * event of the job.
 */
function withName(tables: Tables, { id, repository }: JobDraft, change: Change): Change {
  const known = tables.jobs.get(id);
  if (known !== undefined && known.state !== 'completed') tables.jobs.set(id, { ...known, repository });
  return change;
}

function insertUnlessKnown(tables: Tables, job: Job): Change {
  if (tables.jobs.has(job.id)) return 'unchanged';
  tables.jobs.set(job.id, job);
  return 'changed';
}

/**
 * Sets the waiting time even for a job that started or ended before
 * its `queued` webhook: every order must end with the same time.
 */
function enqueue(tables: Tables, effect: Of<'enqueue'>, by: HeardBy): Change {
  const { job: draft } = effect;
  // mutation: queued-once
  if (tables.heardQueued.has(draft.id)) return 'unchanged';
  tables.heardQueued.add(draft.id);
  const { approved, other } = queuedSince(effect, by);
  const known = tables.jobs.get(draft.id) ?? newJob(draft, 'queued');
  // mutation: completed-job-stays-completed
  const state = known.state === 'waiting' ? 'queued' : known.state;
  tables.jobs.set(draft.id, { ...known, state, queuedAt: known.state === 'waiting' ? approved : other });
  if (state !== 'queued') return 'unchanged';
  tables.reported({ kind: 'enqueued', pool: draft.pool });
  return 'changed';
}

function start(tables: Tables, { job: draft, runnerName, at }: Of<'start'>): Change {
  const known = tables.jobs.get(draft.id) ?? newJob(draft, 'queued');
  if (known.state === 'completed' || known.executor !== undefined) return 'unchanged';
  tables.jobs.set(known.id, { ...known, state: 'running', executor: runnerName, startedAt: at });
  bindExecution(tables, known, runnerName);
  return 'changed';
}

function complete(tables: Tables, { job: draft, end }: Of<'complete'>): Change {
  // mutation: unknown-job-is-stored-completed
  const known = tables.jobs.get(draft.id) ?? newJob(draft, 'queued');
  // mutation: completed-job-is-not-stored-again
  if (known.state === 'completed') return 'unchanged';
  tables.jobs.set(known.id, {
    ...known,
    state: 'completed',
    repository: draft.repository,
    conclusion: end.conclusion,
    completedAt: end.at,
    startedAt: end.startedAt,
    executor: end.runnerName,
  });
  const { startedAt, conclusion, at } = end;
  const { pool, queuedAt } = known;
  tables.reported({ kind: 'completed', pool, conclusion, queuedAt, startedAt, at });
  if (end.runnerName === undefined) return 'changed';
  bindExecution(tables, known, end.runnerName);
  // End the claim of the runner that did the work, not the claim made for this job: the Pod of that claim may be busy.
  // mutation: claim-of-executing-runner-ends
  for (const claim of tables.claims.values())
    if (claim.accountId === known.accountId && claim.runnerName === end.runnerName)
      tables.claims.delete(claim.generation);
  return 'changed';
}

function bindExecution(tables: Tables, { id, accountId }: Job, runnerName: string): void {
  for (const claim of tables.claims.values())
    if (claim.accountId === accountId && claim.runnerName === runnerName) {
      tables.claims.set(claim.generation, { ...claim, executedJobId: id });
      // mutation: exchange-displaced-jobs
      exchangeJobs(tables, claim.generation, id);
    }
  for (const session of tables.sessions.values())
    if (session.accountId === accountId && session.runnerName === runnerName)
      tables.sessions.set(session.id, { ...session, executedJobId: id });
}

/**
 * A runner took another job than the one its Pod was claimed for. Its claim moves to the executed job. The job it was
 * made for gets the claim of the executed job, whose runner is still to come, or waits again.
 */
function exchangeJobs(tables: Tables, generation: string, executedId: string): void {
  const own = tables.claims.get(generation);
  const executed = tables.jobs.get(executedId);
  if (own === undefined || own.jobId === executedId || executed?.pool !== own.pool) return;
  const other = tables.claims.values().find(({ jobId }) => jobId === executedId);
  if (other?.executedJobId !== undefined) return;
  giveJob(tables, own, executedId);
  tables.jobs.set(executedId, { ...executed, generation, claimedAt: own.claimedAt });
  if (other !== undefined) giveJob(tables, other, own.jobId);
  passOnLeftJob(tables, own, other);
}

/** Passes on the job left behind, unless GitHub has reported its start or its end. */
function passOnLeftJob(tables: Tables, { jobId, generation }: Claim, other: Claim | undefined): void {
  const left = tables.jobs.get(jobId);
  if (left === undefined || !isStillOf(left, generation)) return;
  const { state = 'queued', generation: next, claimedAt } = other ?? {};
  tables.jobs.set(left.id, { ...left, state, generation: next, claimedAt });
  if (other === undefined) tables.reported({ kind: 'requeued', pool: left.pool });
}

function giveJob(tables: Tables, { generation }: Claim, jobId: string): void {
  const claim = tables.claims.get(generation);
  if (claim !== undefined) tables.claims.set(generation, { ...claim, jobId });
  for (const session of tables.sessions.values())
    if (session.generation === generation) tables.sessions.set(session.id, { ...session, jobId });
}

function install(tables: Tables, { account, installation, firstProfile }: Of<'install'>): Change {
  const known = tables.installations.get(installation.id);
  const kept = known?.state === 'removed' ? known : installation;
  const same = isDeepStrictEqual(tables.accounts.get(account.id), account) && isDeepStrictEqual(known, kept);
  for (const limit of defaultLimits(account.id))
    if (tables.limitOf(limit) === undefined) tables.setLimit(limit);
  if (firstProfile !== undefined && !tables.accounts.has(account.id))
    addFirstProfile(tables, account.id, firstProfile);
  tables.accounts.set(account.id, account);
  tables.installations.set(kept.id, kept);
  if (same) return 'unchanged';
  resumeJobs(tables, installation.accountId);
  return 'changed';
}

/**
 * A new installation of the App gets another id; jobs that waited for the old installation continue with the new one.
 */
function resumeJobs(tables: Tables, accountId: string): void {
  const active = tables.activeInstallations(accountId);
  const installationId = active.toSorted().at(-1);
  if (installationId === undefined) return;
  for (const job of tables.jobs.values())
    if (job.accountId === accountId && job.state !== 'completed' && !active.includes(job.installationId))
      tables.jobs.set(job.id, { ...job, installationId });
}
