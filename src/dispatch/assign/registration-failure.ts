/** That no runner could be registered for a job, kept for whoever asks why it waits. */
import type { AuditDraft, Claim } from '../store/rows.ts';

export const refusalKind = 'registration_refused';
/** What GitHub says may be a page. */
const saidMax = 300;

export function refusalOf(
  { jobId, pod, generation }: Claim,
  error: unknown,
  { id, at }: Pick<AuditDraft, 'id' | 'at'>,
): AuditDraft {
  const text = error instanceof Error ? error.message : String(error);
  const evidence = { said: text.slice(0, saidMax).toWellFormed() };
  return { id, at, kind: refusalKind, jobId, pod: { name: pod.name, uid: pod.uid }, generation, evidence };
}
