/** Deletes old rows; in memory all at once. */
import type { Bygone } from '../recovery-port.ts';
import type { Tables } from './tables.ts';

export function prune(tables: Tables, { notesBefore, jobsBefore }: Bygone): 'all' {
  for (const { id, at } of tables.acts.values()) if (at < notesBefore) tables.acts.delete(id);
  for (const [uid, at] of tables.retired) if (at < notesBefore) tables.retired.delete(uid);
  for (const { guid, receivedAt } of tables.deliveries.values())
    if (receivedAt < notesBefore) tables.deliveries.delete(guid);
  for (const { id, endedAt = Infinity } of tables.sessions.values())
    if (endedAt < jobsBefore) tables.sessions.delete(id);
  forgetJobs(tables, { notesBefore, jobsBefore });
  return 'all';
}

/** Keeps a job that a claim or a session names, without its log. */
function forgetJobs(tables: Tables, { notesBefore, jobsBefore }: Bygone): void {
  const claims = [...tables.claims.values()].flatMap(({ jobId, executedJobId }) => [jobId, executedJobId]);
  const sessions = [...tables.sessions.values()].flatMap(({ jobId, executedJobId, endedAt }) => [
    jobId,
    ...(endedAt === undefined ? [executedJobId] : []),
  ]);
  const named = new Set([...claims, ...sessions]);
  for (const job of tables.jobs.values()) {
    const { id, ending, completedAt = Infinity } = job;
    if (ending !== undefined && completedAt < notesBefore)
      tables.jobs.set(id, { ...job, ending: { ...ending, logTail: '' } });
    if (completedAt >= jobsBefore || named.has(id)) continue;
    tables.jobs.delete(id);
    tables.heardQueued.delete(id);
  }
}
