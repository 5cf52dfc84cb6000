/**
 * Running claims whose job is over: another runner did the job, or the job was
 * canceled before it started. In both cases no webhook names the runner of the claim,
 * so nothing else ends the claim. Such claims hold the budget of their account.
 *
 * Only the claim ends. GitHub may just have given its Pod another job, of which no
 * webhook has arrived yet. The session stays open and protects the Pod until the
 * Pod ends. Until then the account may use one Pod more than its budget allows.
 */
import type { Claim, Job } from '../../store/rows.ts';
import { oldestClaims } from './oldest-claims.ts';
import { oneByOne } from '../scheduler/for-each-isolated.ts';
import { draftOf, type RecoveryPorts } from '../scheduler/worker.ts';

export interface CompletedClaimLook {
  readonly at: number;
  readonly olderThanMs: number;
  readonly claims: readonly Claim[];
  /** The jobs that the claims name, as far as they are stored. */
  readonly jobs: ReadonlyMap<string, Job>;
}

export function decideCompletedClaims({
  at,
  olderThanMs,
  claims,
  jobs,
}: CompletedClaimLook): readonly Claim[] {
  const isOver = (id: string): boolean => jobs.get(id)?.state === 'completed';
  return oldestClaims(
    claims.filter(
      ({ state, claimedAt, jobId, executedJobId }) =>
        state === 'running' &&
        claimedAt < at - olderThanMs &&
        isOver(jobId) &&
        (executedJobId === undefined || isOver(executedJobId)),
    ),
  );
}

export async function settleCompletedClaims(ports: RecoveryPorts, olderThanMs: number): Promise<void> {
  const { store, clock, say } = ports;
  const at = clock.now();
  const claims = (await store.claims()).filter(({ state }) => state === 'running');
  const ids = [
    ...new Set(
      claims.flatMap(({ jobId, executedJobId }) => [jobId, ...(executedJobId ? [executedJobId] : [])]),
    ),
  ];
  const known = ids.length === 0 ? [] : await store.jobs({ ids, limit: ids.length });
  const jobs = new Map(known.map((job) => [job.id, job]));
  await oneByOne(
    decideCompletedClaims({ at, olderThanMs, claims, jobs }),
    async (claim) => settle(ports, claim, { at, jobs }),
    ({ jobId }, error) => say('failed to end claim of completed job', { job: jobId, error }),
  );
}

async function settle(
  ports: RecoveryPorts,
  claim: Claim,
  { at, jobs }: Pick<CompletedClaimLook, 'at' | 'jobs'>,
): Promise<void> {
  const { generation, jobId, pod, claimedAt, executedJobId } = claim;
  const overAt = jobs.get(executedJobId ?? jobId)?.completedAt ?? at;
  const evidence = {
    claimedForMs: at - claimedAt,
    overForMs: at - overAt,
    conclusion: jobs.get(jobId)?.conclusion ?? '',
    executed: executedJobId ?? 'nothing known',
  };
  const about = { jobId, pod, generation, evidence };
  const answer = await ports.store.settle(generation, draftOf(ports, 'completed_claim', about));
  if (answer === 'settled') ports.recovered('completed_claim', about);
}
