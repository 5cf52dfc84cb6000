/**
 * Closes claims and sessions whose Pod is gone without a report of its end: its node was lost, the Pod was evicted, or
 * the manager that should have reported the end died. Such rows hold budgets and count as busy Pods.
 *
 * Claims and sessions are read before the Pods are listed. A failed list ends the run. An empty list may mean a broken
 * selector, so it proves nothing. A Pod must be missing at every look for a while.
 */
import type { Claim, Evidence, Job, PodRef, Session } from '../../store/rows.ts';
import { longestSessionMs } from '../../store/session-load.ts';
import { oneByOne } from '../scheduler/for-each-isolated.ts';
import type { SeenPod } from './runner-pods.ts';
import type { EndedPod } from './ended-pods.ts';
import {
  draftOf,
  type RecoveryKind,
  type RecoveryPorts,
  type Tick,
  type Worker,
} from '../scheduler/worker.ts';

export interface ReconciliationLimits {
  /** Younger rows are skipped. */
  readonly claimAgeMs: number;
  readonly sessionAgeMs: number;
  /** How long the Pod of a claim, or of a session without a claim, must have been missing. */
  readonly confirmClaimMs: number;
  readonly confirmSessionMs: number;
  readonly claimsMax: number;
  readonly sessionsMax: number;
}

export const reconciliationLimits: ReconciliationLimits = {
  claimAgeMs: 600_000,
  sessionAgeMs: 900_000,
  confirmClaimMs: 300_000,
  confirmSessionMs: 60_000,
  claimsMax: 25,
  sessionsMax: 100,
};

/** The stored rows of one Pod. */
export interface StoredPod {
  readonly pod: PodRef;
  readonly claim: Claim | undefined;
  readonly session: Session | undefined;
}

export interface ReconciliationLook {
  readonly at: number;
  readonly claims: readonly Claim[];
  readonly sessions: readonly Session[];
}

/** Rows old enough that their Pod should be listed. Without such rows, no list of Pods is needed. */
export function oldEnough(
  { at, claims, sessions }: ReconciliationLook,
  { claimAgeMs, sessionAgeMs }: ReconciliationLimits,
): readonly StoredPod[] {
  const byUid = new Map<string, StoredPod>();
  for (const session of sessions)
    if (session.startedAt < at - sessionAgeMs)
      byUid.set(session.pod.uid, { pod: session.pod, claim: undefined, session });
  for (const claim of claims)
    if (claim.claimedAt < at - claimAgeMs) {
      const session = sessions.find(({ generation }) => generation === claim.generation);
      byUid.set(claim.pod.uid, { pod: claim.pod, claim, session });
    }
  return [...byUid.values()];
}

/** Rows whose Pod is not in the list. */
export function decideMissing(stored: readonly StoredPod[], pods: readonly SeenPod[]): readonly StoredPod[] {
  if (pods.length === 0) return [];
  const present = new Set(pods.map(({ uid }) => uid));
  return stored.filter(({ pod }) => !present.has(pod.uid));
}

/** Rows missing long enough, longest first, up to the limits. */
export function confirmMissing(
  missing: readonly StoredPod[],
  { since, at }: { readonly since: ReadonlyMap<string, number>; readonly at: number },
  limits: ReconciliationLimits,
): readonly StoredPod[] {
  const missingAt = ({ pod }: StoredPod): number => since.get(pod.uid) ?? at;
  const isConfirmed = (one: StoredPod): boolean =>
    at - missingAt(one) >= (one.claim === undefined ? limits.confirmSessionMs : limits.confirmClaimMs);
  const sorted = missing.filter(isConfirmed).toSorted((a, b) => missingAt(a) - missingAt(b));
  return [
    ...sorted.filter(({ claim }) => claim !== undefined).slice(0, limits.claimsMax),
    ...sorted.filter(({ claim }) => claim === undefined).slice(0, limits.sessionsMax),
  ];
}

/** The estimated end of the Pod: the end of its job, but not before the session began nor after the longest session. */
export function endOfSession(session: Session | undefined, job: Job | undefined, at: number): number {
  if (session === undefined) return at;
  const { startedAt } = session;
  return Math.max(startedAt, Math.min(job?.completedAt ?? at, at, startedAt + longestSessionMs));
}

/** The executed job where known, else the claimed job. */
function jobIdOf({ claim, session }: Pick<StoredPod, 'claim' | 'session'>): string {
  return session?.executedJobId ?? session?.jobId ?? claim?.jobId ?? '';
}

export class PodReconciliation implements Worker {
  readonly name = 'pod-reconciliation';
  readonly everyMs = 60_000;
  readonly #ports: RecoveryPorts;
  readonly #limits: ReconciliationLimits;
  /** Receives jobs whose state only GitHub knows. */
  readonly #podEnded: (ended: EndedPod) => void;

  constructor(
    ports: RecoveryPorts,
    podEnded: (ended: EndedPod) => void,
    limits: ReconciliationLimits = reconciliationLimits,
  ) {
    this.#ports = ports;
    this.#podEnded = podEnded;
    this.#limits = limits;
  }

  async run({ at }: Tick): Promise<void> {
    const { store, pods: runnerPods, say } = this.#ports;
    const claims = await store.claims();
    const sessions = await store.openSessions();
    const stored = oldEnough({ at, claims, sessions }, this.#limits);
    const pods = stored.length === 0 ? [] : await runnerPods.list('all');
    if (stored.length > 0 && pods.length === 0) {
      say('skipped reconciliation: the list of runner Pods is empty, but Pods are stored', {
        stored: stored.length,
      });
      return;
    }
    const missing = decideMissing(stored, pods);
    const since = await store.suspect(
      this.name,
      missing.map(({ pod }) => pod.uid),
      at,
    );
    const confirmed = confirmMissing(missing, { since, at }, this.#limits);
    await oneByOne(
      confirmed,
      async (one) => this.#close(one, { at, missingForMs: at - (since.get(one.pod.uid) ?? at) }),
      ({ pod }, error) => say('failed to close session of deleted Pod', { pod: pod.name, error }),
    );
  }

  async #close(
    { pod, claim, session }: StoredPod,
    { at, missingForMs }: { readonly at: number; readonly missingForMs: number },
  ): Promise<void> {
    const { store, recovered } = this.#ports;
    const jobId = jobIdOf({ claim, session });
    const job = await store.job(jobId);
    const kind: RecoveryKind = claim === undefined ? 'orphaned_runner_session' : 'pod_missing_claim';
    const evidence: Evidence = { missingForMs };
    const about = { jobId, pod, generation: claim?.generation ?? session?.generation, evidence };
    const ending = { exitCode: undefined, reason: 'PodGone', logTail: '' };
    const stopped = { pod, at: endOfSession(session, job, at), ending };
    const jobs = await store.podStopped(stopped, draftOf(this.#ports, kind, about));
    this.#podEnded({ pod, jobs });
    recovered(kind, about);
  }
}
