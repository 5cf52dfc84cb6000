/** The audit record of a failed registration, which explains why the job still waits. */
import type { AuditDraft, Claim } from '../store/rows.ts';

export const registrationFailureKind = 'registration_refused';
/** GitHub's message may be a whole HTML page. */
const saidMax = 300;

export function registrationFailure(
  { jobId, pod, generation }: Claim,
  error: unknown,
  { id, at }: Pick<AuditDraft, 'id' | 'at'>,
): AuditDraft {
  const text = error instanceof Error ? error.message : String(error);
  const evidence = { said: text.slice(0, saidMax).toWellFormed() };
  return {
    id,
    at,
    kind: registrationFailureKind,
    jobId,
    pod: { name: pod.name, uid: pod.uid },
    generation,
    evidence,
  };
}
