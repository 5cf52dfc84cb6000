/** Claims in memory: creation, promotion, release. */
import { chooseJobs, compareAge, type AccountQueue } from '../choose-jobs.ts';
import type { ClaimAnswer, ClaimRequest, Promotion } from '../port.ts';
import type { Claim, Job } from '../rows.ts';
import type { Tables } from './tables.ts';

export function claim(tables: Tables, request: ClaimRequest): readonly ClaimAnswer[] {
  // mutation: new-poll-returns-unanswered-claims
  for (const { uid } of request.pods) giveUpUnanswered(tables, uid);
  // mutation: pod-in-use-is-not-free
  const free = request.pods.filter(({ uid }) => !tables.retired.has(uid) && !tables.isInUse(uid));
  const jobs = chooseJobs(queuesOf(tables, request), { count: free.length, at: request.at });
  const jobByPod = new Map(free.map((pod, index) => [pod.uid, jobs[index]]));
  return request.pods.map(({ generation, ...pod }): ClaimAnswer => {
    if (!jobByPod.has(pod.uid))
      return { kind: 'taken', pod, why: tables.retired.has(pod.uid) ? 'retired' : 'served' };
    const job = jobByPod.get(pod.uid);
    if (job === undefined) return { kind: 'nothing', pod };
    return { kind: 'claimed', pod, ...reserve(tables, job, { generation, pod, at: request.at }) };
  });
}

function giveUpUnanswered(tables: Tables, podUid: string): void {
  for (const held of tables.claims.values())
    if (held.pod.uid === podUid && held.state === 'claimed') release(tables, held.generation);
}

function queuesOf(tables: Tables, { pool, queuedAfter, except }: ClaimRequest): readonly AccountQueue<Job>[] {
  // mutation: no-app-no-reservation
  const queued = [...tables.jobs.values()].filter(
    (job) =>
      job.pool === pool &&
      job.state === 'queued' &&
      job.queuedAt > queuedAfter &&
      !except.jobs.has(job.id) &&
      !except.repositories.has(job.repository) &&
      !except.accounts.has(job.accountId) &&
      tables.hasApp(job.accountId),
  );
  return [...Map.groupBy(queued, (job) => `${job.accountId}/${job.shape.platform}`).values()].map((jobs) => {
    const of = { accountId: jobs[0]?.accountId ?? '', platform: jobs[0]?.shape.platform ?? 'linux' };
    return { jobs: jobs.toSorted(compareAge), used: tables.used(of), limit: tables.limitOf(of) };
  });
}

interface Reservation extends Pick<Claim, 'generation' | 'pod'> {
  readonly at: number;
}

function reserve(
  tables: Tables,
  queued: Job,
  { generation, pod, at }: Reservation,
): { claim: Claim; job: Job } {
  const job: Job = { ...queued, state: 'claimed', generation, claimedAt: at };
  const made: Claim = {
    generation,
    jobId: job.id,
    accountId: job.accountId,
    pool: job.pool,
    pod,
    shape: job.shape,
    state: 'claimed',
    claimedAt: at,
    runnerName: undefined,
    executedJobId: undefined,
  };
  tables.jobs.set(job.id, job);
  tables.claims.set(generation, made);
  tables.reported({ kind: 'claimed', pool: job.pool, queuedAt: job.queuedAt, at });
  return { claim: made, job };
}

export function promote(tables: Tables, promotion: Promotion): 'promoted' | 'finished' | 'stale' {
  const { generation, runnerName, sessionId, at } = promotion;
  const held = tables.claims.get(generation);
  if (held === undefined) return 'stale';
  // A repeated promotion, after a lost answer.
  if (held.state === 'running') return held.runnerName === runnerName ? 'promoted' : 'stale';
  const job = tables.jobs.get(held.jobId);
  // mutation: executed-claim-is-finished
  if (job === undefined || job.state === 'completed' || job.executor !== undefined) return 'finished';
  tables.claims.set(generation, { ...held, state: 'running', runnerName });
  if (isStillOf(job, generation)) tables.jobs.set(job.id, { ...job, state: 'running' });
  const { jobId, accountId, pool, pod } = held;
  tables.sessions.set(sessionId, {
    id: sessionId,
    generation,
    jobId,
    accountId,
    pool,
    pod,
    runnerName,
    startedAt: at,
    endedAt: undefined,
    executedJobId: undefined,
  });
  const { claimedAt } = held;
  tables.reported({ kind: 'running', pool, queuedAt: job.queuedAt, claimedAt, at });
  return 'promoted';
}

export function release(tables: Tables, generation: string): 'released' | 'stale' {
  const held = tables.claims.get(generation);
  // The runner of a promoted claim may be executing the job, and another Pod must not get the job.
  if (held === undefined || held.state === 'running') return 'stale';
  tables.claims.delete(generation);
  requeue(tables, held);
  return 'released';
}

/** Requeues the job of an ended claim, unless GitHub has reported its start or its end. */
export function requeue(tables: Tables, { jobId, generation }: Claim): void {
  const job = tables.jobs.get(jobId);
  if (job === undefined || !isStillOf(job, generation)) return;
  tables.jobs.set(jobId, { ...job, state: 'queued', generation: undefined, claimedAt: undefined });
  tables.reported({ kind: 'requeued', pool: job.pool });
}

export function isStillOf(job: Job, generation: string): boolean {
  return (
    job.generation === generation &&
    (job.state === 'claimed' || job.state === 'running') &&
    job.executor === undefined
  );
}
