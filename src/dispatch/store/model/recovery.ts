/** Repairs, audit records, suspicions and leases of the recovery, in memory. */
import { storable } from '../evidence.ts';
import { emptyLease, leaseAnswer } from '../job-leases.ts';
import type {
  Abandonment,
  ActFilter,
  GivenUp,
  JobSource,
  Lease,
  LeaseAnswer,
  LeaseEnd,
  LeaseRequest,
  RenewedLeases,
} from '../recovery-port.ts';
import type { AuditDraft, AuditEntry } from '../rows.ts';
import type { Tables } from './tables.ts';

/** Writes the audit record with the outcome of its operation. */
export function note<A extends string>(tables: Tables, act: AuditDraft | undefined, outcome: A): A {
  if (act !== undefined) record(tables, { ...act, outcome });
  return outcome;
}

export function record(tables: Tables, act: AuditEntry): void {
  if (!tables.acts.has(act.id)) tables.acts.set(act.id, { ...act, evidence: storable(act.evidence) });
}

export function abandon(
  tables: Tables,
  { jobId, generation, evidence }: Abandonment,
  act: AuditDraft,
): 'requeued' | 'busy' | 'stale' {
  const job = tables.jobs.get(jobId);
  if (job?.state !== 'running' || job.generation !== generation || job.executor !== undefined) return 'stale';
  const claim = tables.claims.get(generation);
  if (evidence === 'aged_out' && claim?.executedJobId !== undefined) return 'busy';
  tables.claims.delete(generation);
  tables.jobs.set(jobId, { ...job, state: 'queued', generation: undefined, claimedAt: undefined });
  tables.reported({ kind: 'requeued', pool: job.pool });
  return note(tables, act, 'requeued');
}

export function giveUp(
  tables: Tables,
  { jobId, from, conclusion, at }: GivenUp,
  act: AuditDraft,
): 'given-up' | 'stale' {
  const job = tables.jobs.get(jobId);
  if (job?.state !== from || job.executor !== undefined) return 'stale';
  tables.jobs.set(jobId, { ...job, state: 'completed', conclusion, completedAt: at });
  const { pool, queuedAt } = job;
  tables.reported({ kind: 'completed', pool, conclusion, queuedAt, startedAt: undefined, at });
  return note(tables, act, 'given-up');
}

export function settle(tables: Tables, generation: string, act: AuditDraft): 'settled' | 'live' {
  const claim = tables.claims.get(generation);
  if (claim?.state !== 'running') return 'live';
  const jobs = [claim.jobId, claim.executedJobId ?? claim.jobId];
  if (jobs.some((id) => tables.jobs.get(id)?.state !== 'completed')) return 'live';
  tables.claims.delete(generation);
  return note(tables, act, 'settled');
}

export function suspect(
  tables: Tables,
  worker: string,
  { subjects, at }: { readonly subjects: readonly string[]; readonly at: number },
): ReadonlyMap<string, number> {
  const before = tables.suspects.get(worker);
  const now = new Map(subjects.map((subject) => [subject, Math.min(at, before?.get(subject) ?? at)]));
  tables.suspects.set(worker, now);
  return now;
}

export function acquireLease(tables: Tables, request: LeaseRequest): LeaseAnswer {
  const { worker, holder, at, leaseMs } = request;
  const lease = tables.leases.get(worker) ?? emptyLease(worker);
  const answer = leaseAnswer(lease, request);
  const taken = answer.kind === 'taken' && { holder, startedAt: at, heldUntil: at + leaseMs };
  tables.leases.set(worker, { ...lease, ...taken });
  return answer;
}

export function renewLeases(tables: Tables, { workers, holder, at, leaseMs }: RenewedLeases): void {
  for (const worker of workers) {
    const lease = tables.leases.get(worker);
    if (lease?.holder !== holder || lease.heldUntil === undefined) continue;
    tables.leases.set(worker, { ...lease, heldUntil: at + leaseMs });
  }
}

export function releaseLease(tables: Tables, { worker, holder, isGood }: LeaseEnd): void {
  const lease = tables.leases.get(worker);
  if (lease === undefined || lease.holder !== holder) return;
  const goodAt = isGood ? lease.startedAt : lease.goodAt;
  tables.leases.set(worker, { ...lease, heldUntil: undefined, goodAt });
}

export function leases(tables: Tables): readonly Lease[] {
  return [...tables.leases.values()].toSorted((a, b) => (a.worker < b.worker ? -1 : 1));
}

export function acts(tables: Tables, { jobId, podName, podUids, limit }: ActFilter): readonly AuditEntry[] {
  return [...tables.acts.values()]
    .filter(
      (act) =>
        (jobId === undefined || act.jobId === jobId) &&
        (podName === undefined || act.pod?.name === podName) &&
        (podUids === undefined || podUids.includes(act.pod?.uid ?? '')),
    )
    .toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

export function jobSources(tables: Tables, since: number): readonly JobSource[] {
  const recent = [...tables.jobs.values()].filter(({ queuedAt }) => queuedAt > since);
  const known = new Map(
    recent.map(({ installationId, repository }) => [
      `${installationId} ${repository}`,
      { installationId, repository },
    ]),
  );
  return [...known].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, source]) => source);
}
