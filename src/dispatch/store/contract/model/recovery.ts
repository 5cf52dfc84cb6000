/** What the recovery sets right and keeps, in memory. */
import { storable } from '../../evidence.ts';
import { emptyTurn, turnAnswer } from '../../turns.ts';
import type {
  Abandonment,
  ActFilter,
  GivenUp,
  JobSource,
  Turn,
  TurnAnswer,
  TurnEnd,
  TurnRequest,
  TurnsKept,
} from '../../recovery-port.ts';
import type { ActDraft, RecoveryAct } from '../../rows.ts';
import type { Tables } from './tables.ts';

/** With the answer of the verb that it is part of. */
export function note<A extends string>(tables: Tables, act: ActDraft | undefined, outcome: A): A {
  if (act !== undefined) record(tables, { ...act, outcome });
  return outcome;
}

export function record(tables: Tables, act: RecoveryAct): void {
  if (!tables.acts.has(act.id)) tables.acts.set(act.id, { ...act, evidence: storable(act.evidence) });
}

export function abandon(
  tables: Tables,
  { jobId, generation, evidence }: Abandonment,
  act: ActDraft,
): 'requeued' | 'busy' | 'stale' {
  const job = tables.jobs.get(jobId);
  if (job?.state !== 'running' || job.generation !== generation || job.executor !== undefined) return 'stale';
  const claim = tables.claims.get(generation);
  if (evidence === 'aged_out' && claim?.executedJobId !== undefined) return 'busy';
  tables.claims.delete(generation);
  tables.jobs.set(jobId, { ...job, state: 'queued', generation: undefined, claimedAt: undefined });
  tables.told({ kind: 'requeued', pool: job.pool });
  return note(tables, act, 'requeued');
}

export function giveUp(
  tables: Tables,
  { jobId, from, conclusion, at }: GivenUp,
  act: ActDraft,
): 'given-up' | 'stale' {
  const job = tables.jobs.get(jobId);
  if (job?.state !== from || job.executor !== undefined) return 'stale';
  tables.jobs.set(jobId, { ...job, state: 'completed', conclusion, completedAt: at });
  const { pool, queuedAt } = job;
  tables.told({ kind: 'completed', pool, conclusion, queuedAt, startedAt: undefined, at });
  return note(tables, act, 'given-up');
}

export function settle(tables: Tables, generation: string, act: ActDraft): 'settled' | 'live' {
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

export function takeTurn(tables: Tables, request: TurnRequest): TurnAnswer {
  const { worker, holder, at, leaseMs } = request;
  const turn = tables.turns.get(worker) ?? emptyTurn(worker);
  const answer = turnAnswer(turn, request);
  const taken = answer.kind === 'taken' && { holder, startedAt: at, heldUntil: at + leaseMs };
  tables.turns.set(worker, { ...turn, ...taken });
  return answer;
}

export function keepTurns(tables: Tables, { workers, holder, at, leaseMs }: TurnsKept): void {
  for (const worker of workers) {
    const turn = tables.turns.get(worker);
    if (turn?.holder !== holder || turn.heldUntil === undefined) continue;
    tables.turns.set(worker, { ...turn, heldUntil: at + leaseMs });
  }
}

export function endTurn(tables: Tables, { worker, holder, isGood }: TurnEnd): void {
  const turn = tables.turns.get(worker);
  if (turn === undefined || turn.holder !== holder) return;
  const goodAt = isGood ? turn.startedAt : turn.goodAt;
  tables.turns.set(worker, { ...turn, heldUntil: undefined, goodAt });
}

export function turns(tables: Tables): readonly Turn[] {
  return [...tables.turns.values()].toSorted((a, b) => (a.worker < b.worker ? -1 : 1));
}

export function acts(tables: Tables, { jobId, podName, podUids, limit }: ActFilter): readonly RecoveryAct[] {
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
