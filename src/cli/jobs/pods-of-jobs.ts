/** The Pod of a job: the Pod of the runner that GitHub named, else the Pod that is reserved for the job. */
import type { JobStore, RunnerName } from '../../dispatch/store/port.ts';
import type { Job } from '../../dispatch/store/rows.ts';

/** Names of Pods by job id. A job without a claim has no Pod, and neither has a job whose session was pruned. */
export async function podsOfJobs(
  store: Pick<JobStore, 'claims' | 'sessionsOf'>,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, string>> {
  const claims = await store.claims();
  const reserved = new Map(claims.map(({ generation, pod }) => [generation, pod.name]));
  const sessions = await store.sessionsOf(jobs.flatMap((job) => runnerOf(job) ?? []));
  const ran = new Map(sessions.map((session) => [keyOf(session), session.pod.name]));
  const pods = new Map<string, string>();
  for (const job of jobs) {
    const runner = runnerOf(job);
    const pod = runner === undefined ? reserved.get(job.generation ?? '') : ran.get(keyOf(runner));
    if (pod !== undefined) pods.set(job.id, pod);
  }
  return pods;
}

function runnerOf({ accountId, executor }: Job): RunnerName | undefined {
  return executor === undefined ? undefined : { accountId, runnerName: executor };
}

function keyOf({ accountId, runnerName }: RunnerName): string {
  return JSON.stringify([accountId, runnerName]);
}
