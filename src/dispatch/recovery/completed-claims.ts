/**
 * Claims whose job is over although nobody ended them: another runner did the job, or it was cancelled before anybody began,
 * so no webhook named the runner of this claim. They hold the budget of their account.
 *
 * Only the claim goes. Its Pod may just have been given another job of which we have not heard yet; its session stays open and
 * goes on protecting it, until the Pod ends. Until then the account may use one Pod more than its budget holds.
 */
import type { Claim, Job } from '../store/rows.ts';
import { draftOf, type RecoveryPorts } from './worker.ts';

export interface CompletedClaimLook {
  readonly at: number;
  readonly olderThanMs: number;
  readonly claims: readonly Claim[];
  /** Those that the claims name, as far as they are known. */
  readonly jobs: ReadonlyMap<string, Job>;
}

export function decideCompletedClaims({
  at,
  olderThanMs,
  claims,
  jobs,
}: CompletedClaimLook): readonly Claim[] {
  const isOver = (id: string): boolean => jobs.get(id)?.state === 'completed';
  return claims.filter(
    ({ state, claimedAt, jobId, executedJobId }) =>
      state === 'running' &&
      claimedAt < at - olderThanMs &&
      isOver(jobId) &&
      (executedJobId === undefined || isOver(executedJobId)),
  );
}

export async function settleCompletedClaims(ports: RecoveryPorts, olderThanMs: number): Promise<void> {
  const { store, clock, recovered } = ports;
  const at = clock.now();
  const claims = (await store.claims()).filter(({ state }) => state === 'running');
  const ids = [
    ...new Set(
      claims.flatMap(({ jobId, executedJobId }) => [jobId, ...(executedJobId ? [executedJobId] : [])]),
    ),
  ];
  const known = ids.length === 0 ? [] : await store.jobs({ ids, limit: ids.length });
  const jobs = new Map(known.map((job) => [job.id, job]));
  for (const claim of decideCompletedClaims({ at, olderThanMs, claims, jobs })) {
    const { generation, jobId, pod, claimedAt } = claim;
    const conclusion = jobs.get(jobId)?.conclusion ?? '';
    const evidence = {
      claimedForMs: at - claimedAt,
      conclusion,
      executed: claim.executedJobId ?? 'nothing known',
    };
    const about = { jobId, pod, generation, evidence };
    if ((await store.settle(generation, draftOf(ports, 'completed_claim', about))) === 'settled')
      recovered('completed_claim', about);
  }
}
