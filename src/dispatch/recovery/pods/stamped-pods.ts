/**
 * Decides, without side effects, which stamped Pods are orphans.
 *
 * If the database has no claim and no session at all, it may be the wrong database.
 * That doubt ends after a quarter of an hour: GitHub is queried about each Pod in
 * any case, and if all Pods of a pool hang, nothing else would ever end it.
 *
 * A missing claim proves nothing: a claim may end while its Pod works on another job, and a database restored from an
 * older copy has lost claims. So the result is a suspicion. It covers a Pod without claim and open session in which no
 * runner was seen to start, and a Pod whose job is over or given back by the stored rows. GitHub is queried before
 * anything is done.
 *
 * A job is given back when its runner did not start. Its registration is then removed, so the Pod can get no job and
 * mostly ends by itself. A Pod that hangs must not stay for as long as its job waits: if all Pods of a pool hang, the
 * job waits forever.
 */
import type { Claim, Evidence, Installation, Job, Session } from '../../store/rows.ts';
import type { KeyedBackoff } from '../scheduler/keyed-backoff.ts';
import type { SeenPod } from './runner-pods.ts';
import { surelyIdle, unheardBecause, type SurelyIdle } from './pods-without-app.ts';

export interface StampedPodLimits {
  /** Time since the stamp. */
  readonly graceMs: number;
  /** How long the Pod must have been suspected. */
  readonly confirmMs: number;
  /** The same, while the database may be the wrong one. */
  readonly doubtMs: number;
  /** How long the job must have been finished at GitHub. */
  readonly finishedMs: number;
  /** How long a Pod may live after its job was given back. */
  readonly givenBackMs: number;
  /** Pods removed per run. */
  readonly max: number;
}

export const stampedPodLimits: StampedPodLimits = {
  graceMs: 300_000,
  confirmMs: 60_000,
  doubtMs: 900_000,
  finishedMs: 900_000,
  givenBackMs: 900_000,
  max: 30,
};

/** From this many stamped Pods on, a database without a single claim is more likely the wrong database. */
const suspiciousPods = 3;

export interface StampedPodLook {
  readonly at: number;
  readonly pods: readonly SeenPod[];
  readonly claims: readonly Claim[];
  readonly sessions: readonly Session[];
  /** The jobs that the sessions name. */
  readonly jobs: ReadonlyMap<string, Job>;
  readonly installations: readonly Installation[];
  /** Uids of Pods whose claim the recovery released: the database knows these Pods. */
  readonly vouchedFor: ReadonlySet<string>;
}

export interface OrphanedPod {
  readonly pod: SeenPod;
  readonly served: ServedOnce | undefined;
  /** Set if GitHub cannot be queried about the Pod. */
  readonly idle: SurelyIdle | undefined;
  /** The database may be the wrong one and has no record of the Pod. */
  readonly isDoubtful: boolean;
  readonly evidence: Evidence;
}

type Found = Omit<OrphanedPod, 'isDoubtful'>;

/** A Pod whose session is open although its job is over or was given back. */
export interface ServedOnce {
  readonly session: Session;
  readonly job: Job;
  readonly isGivenBack: boolean;
}

/** Whether the database may be the wrong one; see `suspiciousPods`. */
export function isDoubtful({ pods, claims, sessions }: StampedPodLook): boolean {
  const atWork = pods.filter((pod) => pod.isStamped && !pod.isTerminating && !pod.isTerminal);
  // mutation: suspicious-empty-database
  return claims.length === 0 && sessions.length === 0 && atWork.length >= suspiciousPods;
}

/** All Pods that look orphaned now, suspected before or not. */
export function decideStampedPods(look: StampedPodLook, limits: StampedPodLimits): readonly OrphanedPod[] {
  const isSure = !isDoubtful(look);
  return look.pods
    .map((pod) => orphanOf(pod, look, limits))
    .filter((orphan) => orphan !== undefined)
    .map((orphan) => ({ ...orphan, isDoubtful: !isSure && !look.vouchedFor.has(orphan.pod.uid) }));
}

function orphanOf(pod: SeenPod, look: StampedPodLook, limits: StampedPodLimits): Found | undefined {
  const { at, claims, sessions, installations } = look;
  if (!isCandidate(pod) || pod.stampedAt === undefined) return undefined;
  const claim = claims.find((one) => one.pod.uid === pod.uid);
  const session = sessions.find((one) => one.pod.uid === pod.uid);
  const stampedForMs = at - pod.stampedAt;
  const evidence = { stampedForMs, claims: claims.length, sessions: sessions.length };
  const unheard = unheardBecause(pod.accountId, installations);
  const idle = surelyIdle(pod, { claim, session }, at);
  if (unheard !== undefined)
    return idle && { pod, served: undefined, idle, evidence: { ...evidence, why: idle, unheard } };
  if (claim !== undefined) return undefined;
  // Decided without GitHub, which may not know the job any more: its repository may be deleted.
  if (idle === 'no job takes as long')
    return { pod, served: undefined, idle, evidence: { ...evidence, why: idle } };
  if (session !== undefined) return servedOf({ pod, session, evidence }, look, limits);
  if (pod.isRunnerLive) return undefined;
  return { pod, served: undefined, idle: undefined, evidence: { ...evidence, why: 'unclaimed' } };
}

function servedOf(
  { pod, session, evidence }: { pod: SeenPod; session: Session; evidence: Evidence },
  { at, jobs }: StampedPodLook,
  { finishedMs }: StampedPodLimits,
): Found | undefined {
  // mutation: stamped-pod-follows-executed-job
  const job = jobs.get(session.executedJobId ?? session.jobId);
  if (job === undefined) return undefined;
  const { runnerName: runner } = session;
  if (job.completedAt === undefined) {
    // mutation: returned-job-frees-pod
    if (!isGivenBack(session, job)) return undefined;
    const why = { why: 'job given back', runner };
    return {
      pod,
      served: { session, job, isGivenBack: true },
      idle: undefined,
      evidence: { ...evidence, ...why },
    };
  }
  const finishedForMs = at - job.completedAt;
  if (finishedForMs <= finishedMs) return undefined;
  const why = { why: 'job finished', finishedForMs, runner };
  return {
    pod,
    served: { session, job, isGivenBack: false },
    idle: undefined,
    evidence: { ...evidence, ...why },
  };
}

/** The job waits again or has another claim, and the runner of this Pod was not seen on any other job. */
function isGivenBack({ executedJobId, generation }: Session, job: Job): boolean {
  return executedJobId === undefined && job.generation !== generation;
}

/** A Pod that is ending or has ended is left to the manager, which reports how it ended. */
export function isCandidate({ isStamped, isTerminating, isTerminal }: SeenPod): boolean {
  return isStamped && !isTerminating && !isTerminal;
}

/**
 * The subject of a suspicion; a new stamp starts a new suspicion.
 * A stamp of an older tool names an account but no time.
 */
export function subjectOf(pod: SeenPod): string {
  return isStampDated(pod)
    ? `${pod.uid} ${pod.stampedAt}`
    : `${pod.uid} of ${pod.accountId ?? 'nobody known'}`;
}

/** An older tool writes no time. The age of the Pod is no substitute: a warm Pod waits for days. */
export function isStampDated({ hasOurStamp, stampedAt }: SeenPod): boolean {
  return hasOurStamp && stampedAt !== undefined;
}

/** The subject under which the store keeps when a stamp without a time was first seen. */
export function stampOf(pod: SeenPod): string {
  return `stamp ${subjectOf(pod)}`;
}

/** Dates each stamp without a time from when the recovery first saw it; undefined at the first look of a replica. */
export function datedBy(
  pods: readonly SeenPod[],
  firstSeen: ReadonlyMap<string, number>,
): readonly SeenPod[] {
  return pods.map((pod) =>
    isStampDated(pod) ? pod : { ...pod, hasOurStamp: false, stampedAt: firstSeen.get(stampOf(pod)) },
  );
}

export interface Suspicions {
  readonly at: number;
  readonly since: ReadonlyMap<string, number>;
  readonly asked: Pick<KeyedBackoff, 'isDue' | 'roundRobin'>;
}

/**
 * Orphans past their grace period that were suspected long enough, up to the limit. Untried Pods come first, longest
 * suspected first, so that Pods without an answer of GitHub do not delay the others.
 */
export function confirmOrphans(
  orphans: readonly OrphanedPod[],
  { since, at, asked }: Suspicions,
  limits: StampedPodLimits,
): readonly OrphanedPod[] {
  const suspectedAt = ({ pod }: OrphanedPod): number => since.get(subjectOf(pod)) ?? at;
  const due = orphans
    .filter(({ pod }) => at - (pod.stampedAt ?? at) >= limits.graceMs)
    .filter((orphan) => at - suspectedAt(orphan) >= suspectedMs(orphan, limits))
    .filter(({ pod }) => asked.isDue(subjectOf(pod), at))
    .toSorted((a, b) => suspectedAt(a) - suspectedAt(b));
  return asked
    .roundRobin(due, ({ pod }) => subjectOf(pod))
    .slice(0, limits.max)
    .map((orphan) => ({
      ...orphan,
      evidence: { ...orphan.evidence, suspectedForMs: at - suspectedAt(orphan) },
    }));
}

function suspectedMs(
  { served, isDoubtful: inDoubt }: OrphanedPod,
  { confirmMs, doubtMs, givenBackMs }: StampedPodLimits,
): number {
  if (inDoubt) return doubtMs;
  return served?.isGivenBack === true ? givenBackMs : confirmMs;
}
