/** Closes session and claim of an ended Pod, in memory. */
import type { StoppedPod } from '../port.ts';
import type { AuditDraft, Job, Session } from '../rows.ts';
import { isStillOf, requeue } from './claims.ts';
import { note } from './recovery.ts';
import type { Tables } from './tables.ts';

export function podStopped(
  tables: Tables,
  { pod, at, ending }: StoppedPod,
  act: AuditDraft | undefined,
): readonly Job[] {
  if (tables.isInUse(pod.uid)) note(tables, act, 'closed');
  for (const claim of tables.claims.values())
    if (claim.pod.uid === pod.uid) {
      tables.claims.delete(claim.generation);
      // A promoted claim's runner may have started the job: only GitHub knows.
      if (claim.state === 'claimed') requeue(tables, claim);
    }
  const sessions = [...tables.sessions.values()].filter((session) => session.pod.uid === pod.uid);
  return sessions.flatMap((session) => {
    if (session.endedAt === undefined)
      tables.sessions.set(session.id, { ...session, endedAt: Math.max(session.startedAt, at) });
    const job = tables.jobs.get(session.executedJobId ?? session.jobId);
    if (job === undefined || !isJobOf(job, session)) return [];
    const kept = { ...job, ending: job.ending ?? ending };
    tables.jobs.set(job.id, kept);
    return kept.state === 'running' ? [kept] : [];
  });
}

/** Whether the Pod of this session was the last one known to have the job. */
function isJobOf(job: Job, session: Session): boolean {
  return job.executor === session.runnerName || isStillOf(job, session.generation);
}
