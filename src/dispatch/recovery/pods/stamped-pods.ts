/**
 * Which stamped Pods nobody speaks for, decided without any effect.
 *
 * Where the database knows of no claim and no session at all, it may be the wrong one. That doubt ends after a quarter of an hour:
 * GitHub is asked about each Pod in any case, and where all Pods of a pool hang, nothing else would ever end it.
 *
 * That no claim names a Pod proves nothing by itself: a claim can end while its Pod works on another job, and a database that
 * went back to an older copy has forgotten claims. So this is a suspicion, of a Pod that no claim and no open session names
 * and in which no runner was seen to start, or whose job is over or was given back by what is stored; GitHub is asked before
 * anything is done.
 *
 * A job is given back when its runner did not come, and then its registration is removed: the Pod can be given nothing more,
 * and mostly ends by itself. One that hangs must not stay for as long as its job waits: where all Pods of a pool hang, that
 * is for good.
 */
import type { Claim, Evidence, Installation, Job, Session } from '../../store/rows.ts';
import type { KeyedBackoff } from '../scheduler/keyed-backoff.ts';
import type { SeenPod } from './runner-pods.ts';
import { surelyIdle, unheardBecause, type SurelyIdle } from './pods-without-app.ts';

export interface StampedPodLimits {
  /** Since the stamp. */
  readonly graceMs: number;
  /** How long it must have been found orphaned. */
  readonly confirmMs: number;
  /** The same, while the database may be the wrong one. */
  readonly doubtMs: number;
  /** How long GitHub must have called the job finished. */
  readonly finishedMs: number;
  /** How long a Pod may live on whose job was given back. */
  readonly givenBackMs: number;
  /** No more in one turn. */
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

/** With so many Pods at work by their stamps, a database without a single claim is more likely a wrong database. */
const suspiciousPods = 3;

export interface StampedPodLook {
  readonly at: number;
  readonly pods: readonly SeenPod[];
  readonly claims: readonly Claim[];
  readonly sessions: readonly Session[];
  /** Those that the sessions name. */
  readonly jobs: ReadonlyMap<string, Job>;
  readonly installations: readonly Installation[];
  /** Uids of Pods whose claim the recovery itself gave back: the database knows of them. */
  readonly vouchedFor: ReadonlySet<string>;
}

export interface OrphanedPod {
  readonly pod: SeenPod;
  readonly served: ServedOnce | undefined;
  /** Of one about which GitHub cannot be asked. */
  readonly idle: SurelyIdle | undefined;
  /** The database may be the wrong one, and does not know of it. */
  readonly isDoubtful: boolean;
  readonly evidence: Evidence;
}

type Found = Omit<OrphanedPod, 'isDoubtful'>;

/** Of a Pod whose session is still open: the job is over, or was given back. */
export interface ServedOnce {
  readonly session: Session;
  readonly job: Job;
  readonly isGivenBack: boolean;
}

/** Whether what was read can be believed as it is; see `suspiciousPods`. */
export function isDoubtful({ pods, claims, sessions }: StampedPodLook): boolean {
  const atWork = pods.filter((pod) => pod.isStamped && !pod.isTerminating && !pod.isTerminal);
  // mutation: suspicious-empty-database
  return claims.length === 0 && sessions.length === 0 && atWork.length >= suspiciousPods;
}

/** All that look orphaned now, whether or not they did before. */
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
  // GitHub may not answer for its job, as when the repository of a person was deleted.
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

/** It waits again, or somebody else has it; and of no other job that the runner of this Pod took was anything heard. */
function isGivenBack({ executedJobId, generation }: Session, job: Job): boolean {
  return executedJobId === undefined && job.generation !== generation;
}

/** One that is ending or has ended is left to whoever made it, which reports how it ended. */
export function isCandidate({ isStamped, isTerminating, isTerminal }: SeenPod): boolean {
  return isStamped && !isTerminating && !isTerminal;
}

/** What a suspicion is about: with another stamp it begins anew. The stamp of an older tool says whose it is, and not since when. */
export function subjectOf(pod: SeenPod): string {
  return isStampDated(pod)
    ? `${pod.uid} ${pod.stampedAt}`
    : `${pod.uid} of ${pod.accountId ?? 'nobody known'}`;
}

/** An older tool writes no time; the age of the Pod says nothing, for a warm Pod waits for days. */
export function isStampDated({ hasOurStamp, stampedAt }: SeenPod): boolean {
  return hasOurStamp && stampedAt !== undefined;
}

/** A stamp without a time, in the store: how long the recovery knows it. */
export function stampOf(pod: SeenPod): string {
  return `stamp ${subjectOf(pod)}`;
}

/** Each stamp without a time counts from when the recovery first saw that stamp; undefined at the first look of a replica. */
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
 * Of those, the ones whose grace is over and that were orphaned long enough, and not too many: first whom nothing was tried
 * with, the longest orphaned first. So those that nobody can be asked about keep no other.
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
