/**
 * Pods that carry a stamp although nobody speaks for them: whoever stamped one died, or could not take the stamp off again.
 * The pool takes such a Pod for busy, so it is never scaled down and never replaced.
 *
 * That no claim names a Pod proves nothing by itself: a claim can end while its Pod works on another job. So a Pod goes only
 * if no claim and no open session names it and no runner was started in it; or if GitHub has called its job finished for a
 * while and its runner is not at work. Both at two looks in a row, the Pods listed before the claims are read: a Pod that is
 * in the list was stamped before, and its claim was committed before that.
 *
 * The last steps: from `retire` on dispatch gives the Pod nothing; the Pod is read once more; and the server deletes it only if
 * nobody has written to it since, so that a stamp in between saves it.
 */
import { isFleetError } from '../../errors/fleet-error.ts';
import type { Claim, Evidence, Job, PodRef, RecoveryAct, Session } from '../store/rows.ts';
import { oneByOne } from './one-by-one.ts';
import type { SeenPod } from './runner-pods.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from './worker.ts';

export interface StampedPodLimits {
  /** Since the stamp. */
  readonly graceMs: number;
  /** How long it must have been found orphaned. */
  readonly confirmMs: number;
  /** How long GitHub must have called the job finished. */
  readonly finishedMs: number;
  /** No more in one turn. */
  readonly max: number;
}

export const stampedPodLimits: StampedPodLimits = {
  graceMs: 300_000,
  confirmMs: 60_000,
  finishedMs: 900_000,
  max: 10,
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
  /** Uids of Pods whose claim the recovery itself gave back: the database knows of them. */
  readonly vouchedFor: ReadonlySet<string>;
}

export interface OrphanedPod {
  readonly pod: SeenPod;
  /** Where a session is still open: it, and the job that is over. */
  readonly finished: { readonly session: Session; readonly job: Job } | undefined;
  readonly evidence: Evidence;
}

/** Whether what was read can be believed as it is; see `suspiciousPods`. */
export function isDoubtful({ pods, claims, sessions }: StampedPodLook): boolean {
  const atWork = pods.filter((pod) => pod.isStamped && !pod.isTerminating && !pod.isTerminal);
  return claims.length === 0 && sessions.length === 0 && atWork.length >= suspiciousPods;
}

/** All that look orphaned now, whether or not they did before. */
export function decideStampedPods(look: StampedPodLook, limits: StampedPodLimits): readonly OrphanedPod[] {
  const isSure = !isDoubtful(look);
  return look.pods
    .filter((pod) => isSure || look.vouchedFor.has(pod.uid))
    .map((pod) => orphanOf(pod, look, limits))
    .filter((orphan) => orphan !== undefined);
}

function orphanOf(pod: SeenPod, look: StampedPodLook, limits: StampedPodLimits): OrphanedPod | undefined {
  const { at, claims, sessions } = look;
  if (!isCandidate(pod) || pod.stampedAt === undefined) return undefined;
  if (claims.some((claim) => claim.pod.uid === pod.uid)) return undefined;
  const session = sessions.find((one) => one.pod.uid === pod.uid);
  const evidence = {
    stampedForMs: at - pod.stampedAt,
    claims: claims.length,
    sessions: sessions.length,
  };
  if (session !== undefined) return finishedOf({ pod, session, evidence }, look, limits);
  if (pod.isRunnerLive) return undefined;
  return { pod, finished: undefined, evidence: { ...evidence, why: 'unclaimed' } };
}

function finishedOf(
  { pod, session, evidence }: { pod: SeenPod; session: Session; evidence: Evidence },
  { at, jobs }: StampedPodLook,
  { finishedMs }: StampedPodLimits,
): OrphanedPod | undefined {
  const job = jobs.get(session.executedJobId ?? session.jobId);
  if (job?.completedAt === undefined) return undefined;
  const finishedForMs = at - job.completedAt;
  if (finishedForMs <= finishedMs) return undefined;
  const why = { why: 'job finished', finishedForMs, runner: session.runnerName };
  return { pod, finished: { session, job }, evidence: { ...evidence, ...why } };
}

/** One that is ending or has ended is left to whoever made it, which reports how it ended. */
function isCandidate({ isStamped, isTerminating, isTerminal }: SeenPod): boolean {
  return isStamped && !isTerminating && !isTerminal;
}

/** What a suspicion is about: with another stamp it begins anew. */
export function subjectOf({ uid, stampedAt }: SeenPod): string {
  return `${uid} ${stampedAt}`;
}

/** Of those, the ones whose grace is over and that were orphaned long enough, the longest first, and not too many. */
export function confirmOrphans(
  orphans: readonly OrphanedPod[],
  { since, at }: { readonly since: ReadonlyMap<string, number>; readonly at: number },
  { graceMs, confirmMs, max }: StampedPodLimits,
): readonly OrphanedPod[] {
  const suspectedAt = ({ pod }: OrphanedPod): number => since.get(subjectOf(pod)) ?? at;
  return orphans
    .filter(({ pod }) => at - (pod.stampedAt ?? at) >= graceMs)
    .filter((orphan) => at - suspectedAt(orphan) >= confirmMs)
    .toSorted((a, b) => suspectedAt(a) - suspectedAt(b))
    .slice(0, max)
    .map((orphan) => ({
      ...orphan,
      evidence: { ...orphan.evidence, suspectedForMs: at - suspectedAt(orphan) },
    }));
}

type Outcome = 'deleted' | 'overtaken' | 'gone' | 'spoken-for' | 'changed' | 'runner-busy' | 'not-finished';

export class OrphanedStampedPods implements Worker {
  readonly name = 'orphaned-stamped-pods';
  readonly everyMs = 60_000;
  readonly #ports: RecoveryPorts;
  readonly #limits: StampedPodLimits;

  constructor(ports: RecoveryPorts, limits: StampedPodLimits = stampedPodLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  async run({ at }: Tick): Promise<void> {
    const { store, say } = this.#ports;
    const look = await this.#look(at);
    const orphans = decideStampedPods(look, this.#limits);
    if (isDoubtful(look))
      say('stamped Pods and not one claim: only those that are known are looked at', {
        pods: look.pods.length,
      });
    const since = await store.suspect(
      this.name,
      orphans.map(({ pod }) => subjectOf(pod)),
      at,
    );
    const confirmed = confirmOrphans(orphans, { since, at }, this.#limits);
    await oneByOne(
      confirmed,
      async (orphan) => this.#take(orphan, await this.#end(orphan)),
      async (orphan, error) => {
        say('an orphaned Pod could not be removed', { pod: orphan.pod.name, error });
        await this.#record(orphan, 'failed');
      },
    );
  }

  async #look(at: number): Promise<StampedPodLook> {
    const { pods: runnerPods, store } = this.#ports;
    // In this order; see above.
    const pods = await runnerPods.list('stamped');
    const claims = await store.claims();
    const sessions = await store.openSessions();
    const uids = new Set(pods.map(({ uid }) => uid));
    const ids = sessions
      .filter(({ pod }) => uids.has(pod.uid))
      .map(({ executedJobId, jobId }) => executedJobId ?? jobId);
    const known = ids.length === 0 ? [] : await store.jobs({ ids, limit: ids.length });
    const base = { at, pods, claims, sessions, jobs: new Map(known.map((job) => [job.id, job])) };
    const look = { ...base, vouchedFor: new Set<string>() };
    if (!isDoubtful(look)) return look;
    const acts = await store.acts({ podUids: [...uids], limit: 10 * uids.size });
    return { ...base, vouchedFor: vouchedFor(pods, acts) };
  }

  async #end(orphan: OrphanedPod): Promise<Outcome> {
    return orphan.finished === undefined
      ? this.#endUnclaimed(orphan)
      : this.#endFinished(orphan, orphan.finished);
  }

  async #endUnclaimed({ pod, evidence }: OrphanedPod): Promise<Outcome> {
    const { store, clock } = this.#ports;
    const act = draftOf(this.#ports, 'orphaned_stamped_pod', { pod: refOf(pod), evidence });
    const retirement = { pool: pod.pool, pod: refOf(pod), at: clock.now() };
    if ((await store.retire(retirement, act)) === 'spoken-for') return 'spoken-for';
    return this.#remove(pod, (now) => !now.isRunnerLive);
  }

  /** Its session is open, so dispatch gives it nothing. It stays open until the Pod is gone: else nobody would look again. */
  async #endFinished(
    { pod }: OrphanedPod,
    { session, job }: { readonly session: Session; readonly job: Job },
  ): Promise<Outcome> {
    const { github, store, clock } = this.#ports;
    const { installationId, repository } = job;
    const told = await github.job({ installationId, repository }, job.id);
    const finishedAt = told.status === 'completed' ? told.completedAt : undefined;
    if (finishedAt === undefined || clock.now() - finishedAt <= this.#limits.finishedMs)
      return 'not-finished';
    if (!(await this.#isOutOfWork(session, job))) return 'runner-busy';
    const outcome = await this.#remove(pod, () => true);
    if (outcome === 'deleted' || outcome === 'gone')
      await store.podStopped({ pod: refOf(pod), at: clock.now(), ending: undefined });
    return outcome;
  }

  /** A runner that is no longer registered can be given nothing; GitHub refuses to remove one that is at work. */
  async #isOutOfWork({ runnerName }: Session, { installationId, repository }: Job): Promise<boolean> {
    const { github } = this.#ports;
    const tenant = { installationId, repository };
    const runner = (await github.runners(tenant)).find(({ name }) => name === runnerName);
    if (runner === undefined) return true;
    if (runner.isBusy) return false;
    try {
      await github.removeRunner(tenant, runner.id);
    } catch (error) {
      if (isFleetError(error, 'notYet')) return false;
      if (!isFleetError(error, 'gone')) throw error;
    }
    return true;
  }

  /** As it is now, if it is still what was decided about. */
  async #remove(seen: SeenPod, isStillSo: (now: SeenPod) => boolean): Promise<Outcome> {
    const now = await this.#ports.pods.read(seen);
    if (now === undefined) return 'gone';
    if (!isCandidate(now) || now.stampedAt !== seen.stampedAt || !isStillSo(now)) return 'changed';
    return this.#ports.pods.remove(now);
  }

  async #take(orphan: OrphanedPod, outcome: Outcome): Promise<void> {
    const { pod, evidence } = orphan;
    await this.#record(orphan, outcome);
    if (outcome === 'deleted') this.#ports.recovered('orphaned_stamped_pod', { pod: refOf(pod), evidence });
  }

  async #record({ pod, finished, evidence }: OrphanedPod, outcome: Outcome | 'failed'): Promise<void> {
    const about = { pod: refOf(pod), jobId: finished?.job.id, generation: finished?.session.generation };
    const act = draftOf(this.#ports, 'orphaned_stamped_pod', { ...about, evidence });
    await this.#ports.store.record({ ...act, outcome });
  }
}

/** Only what was done since the stamp says anything about it: an older act may be in an older copy of the database. */
function vouchedFor(pods: readonly SeenPod[], acts: readonly RecoveryAct[]): ReadonlySet<string> {
  const known = pods.filter(({ uid, stampedAt }) =>
    acts.some((act) => act.pod?.uid === uid && act.at >= (stampedAt ?? Infinity)),
  );
  return new Set(known.map(({ uid }) => uid));
}

function refOf({ name, uid }: PodRef): PodRef {
  return { name, uid };
}
