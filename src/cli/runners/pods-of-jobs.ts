/** Which Pod a job is or was run by: that of the runner which GitHub named, else the one that is reserved for it. */
import type { JobStore } from '../../dispatch/store/port.ts';
import type { Job } from '../../dispatch/store/rows.ts';

/** Names of Pods by job id. A job that nothing was done for has none, nor one whose session is so old that it was pruned. */
export async function podsOfJobs(
  store: Pick<JobStore, 'claims' | 'sessionsOf'>,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, string>> {
  const claims = await store.claims();
  const runners = jobs.flatMap(({ accountId, executor }) =>
    executor === undefined ? [] : [{ accountId, runnerName: executor }],
  );
  const sessions = await store.sessionsOf(runners);
  const podOf = (job: Job): string | undefined => {
    const session = sessions.find(
      ({ accountId, runnerName }) => accountId === job.accountId && runnerName === job.executor,
    );
    if (job.executor !== undefined) return session?.pod.name;
    return claims.find(({ generation }) => generation === job.generation)?.pod.name;
  };
  return new Map(
    jobs.flatMap((job) => {
      const pod = podOf(job);
      return pod === undefined ? [] : [[job.id, pod] as const];
    }),
  );
}
