/**
 * Removes Pods whose stamp is an orphan: the replica that stamped the Pod died, or failed to remove the stamp. The pool
 * counts such a Pod as busy, so the Pod is never scaled down and never replaced.
 *
 * A Pod is removed in one of two cases:
 * - No claim and no open session names it, no runner was seen to start in it, and its runner at GitHub is not busy.
 * - Its job has been finished at GitHub for a while, or was given back a while ago, and its runner is not busy.
 *
 * Both need two looks in a row. Pods are listed before claims are read: a listed Pod was stamped before, and its claim
 * was committed before the stamp. A Pod about which GitHub cannot be queried is removed only when certainly idle
 * (`pods-without-app.ts`).
 *
 * The last steps: `block` stops dispatch from giving the Pod a job; the Pod is read once more; the API server deletes
 * it only at the resource version that was read. A stamp written in between saves the Pod.
 */
import type { JobAtGitHub } from '../../github/port.ts';
import type { Evidence, Job, PodRef, AuditEntry, Session } from '../../store/rows.ts';
import { KeyedBackoff } from '../scheduler/keyed-backoff.ts';
import { askGitHub } from '../jobs/reconcile-job.ts';
import { oneByOne } from '../scheduler/for-each-isolated.ts';
import { deregisterIdle, RunnerRegistrations } from '../registrations/runner-registrations.ts';
import type { SeenPod } from './runner-pods.ts';
import { reasonsToStay, StayingPods, type StayReason } from './kept-pods.ts';
import { isStillIdle, type SurelyIdle } from './pods-without-app.ts';
import {
  confirmOrphans,
  datedBy,
  decideStampedPods,
  isCandidate,
  isDoubtful,
  isStampDated,
  stampedPodLimits,
  stampOf,
  subjectOf,
  type OrphanedPod,
  type ServedOnce,
  type StampedPodLimits,
  type StampedPodLook,
} from './stamped-pods.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from '../scheduler/worker.ts';

/** Backoff for Pods that were not removed. */
const askAgainMs = 60_000;
const askAgainMostMs = 900_000;
/**
 * Conclusions of jobs that the recovery gave up without an answer of GitHub. All other conclusions came from GitHub.
 */
const givenUp: ReadonlySet<string | undefined> = new Set(['gone', 'stale']);

type Outcome = 'deleted' | 'overtaken' | 'gone' | 'in-use' | 'changed' | 'runner-busy' | 'not-finished';

export class OrphanedStampedPods implements Worker {
  readonly name = 'orphaned-stamped-pods';
  readonly everyMs = 60_000;
  readonly #ports: RecoveryPorts;
  readonly #limits: StampedPodLimits;
  /** Pods whose removal was tried without success. */
  readonly #asked = new KeyedBackoff(askAgainMs, askAgainMostMs);
  readonly #staying: StayingPods;
  /** When stamps without a time were first seen, as the store said at the last look. */
  #firstSeen: ReadonlyMap<string, number> = new Map();

  constructor(ports: RecoveryPorts, limits: StampedPodLimits = stampedPodLimits) {
    this.#ports = ports;
    this.#limits = limits;
    this.#staying = new StayingPods(ports.clock);
  }

  /** Counts of stamped Pods that stay; empty if another replica looked last. */
  staying(): ReturnType<StayingPods['counts']> {
    return this.#staying.counts();
  }

  async run({ at }: Tick): Promise<void> {
    const { store, say } = this.#ports;
    const look = await this.#look(at);
    const orphans = decideStampedPods(look, this.#limits);
    if (isDoubtful(look))
      say('found stamped Pods but no claims; waiting 15 minutes before removing unknown Pods', {
        pods: look.pods.length,
      });
    const stamps = look.pods.filter((pod) => !isStampDated(pod)).map(stampOf);
    const suspected = orphans.map(({ pod }) => subjectOf(pod));
    const since = await store.suspect(this.name, [...suspected, ...stamps], at);
    this.#firstSeen = since;
    const runners = new RunnerRegistrations(this.#ports, look.installations);
    const askable = this.#askable(orphans, look);
    const confirmed = confirmOrphans(askable, { since, at, asked: this.#asked }, this.#limits);
    this.#staying.begin(reasonsToStay(look, orphans, this.#limits.graceMs));
    await oneByOne(
      confirmed,
      async (orphan) => {
        const outcome = await this.#end(orphan, runners);
        if (outcome !== 'deleted' && outcome !== 'gone') this.#asked.note(subjectOf(orphan.pod), at);
        this.#staying.note(subjectOf(orphan.pod), stayAfter(outcome));
        await this.#take(orphan, outcome);
      },
      async (orphan, error) => {
        this.#asked.note(subjectOf(orphan.pod), at);
        this.#staying.note(subjectOf(orphan.pod), 'failed');
        say('failed to remove orphaned Pod', { pod: orphan.pod.name, error });
        await this.#record(orphan, 'failed');
      },
    );
  }

  /** While an installation is suspended, GitHub answers no requests about its jobs. */
  #askable(orphans: readonly OrphanedPod[], { installations }: StampedPodLook): readonly OrphanedPod[] {
    const suspended = new Set(installations.filter(({ state }) => state === 'suspended').map(({ id }) => id));
    return orphans.filter(({ served }) => !suspended.has(served?.job.installationId ?? ''));
  }

  async #look(at: number): Promise<StampedPodLook> {
    const { pods: runnerPods, store } = this.#ports;
    // The order matters: Pods before claims and sessions (see above).
    const pods = datedBy(await runnerPods.list('stamped'), this.#firstSeen);
    const claims = await store.claims();
    const sessions = await store.openSessions();
    const uids = new Set(pods.map(({ uid }) => uid));
    // mutation: look-up-executed-job
    const ids = sessions
      .filter(({ pod }) => uids.has(pod.uid))
      .map(({ executedJobId, jobId }) => executedJobId ?? jobId);
    const known = ids.length === 0 ? [] : await store.jobs({ ids, limit: ids.length });
    const installations = pods.length === 0 ? [] : await store.installations();
    const jobs = new Map(known.map((job) => [job.id, job]));
    const base = { at, pods, claims, sessions, jobs, installations };
    const look = { ...base, vouchedFor: new Set<string>() };
    if (!isDoubtful(look)) return look;
    const acts = await store.acts({ podUids: [...uids], limit: 10 * uids.size });
    return { ...base, vouchedFor: vouchedFor(pods, acts) };
  }

  async #end(orphan: OrphanedPod, runners: RunnerRegistrations): Promise<Outcome> {
    if (orphan.idle !== undefined) return this.#endIdle(orphan, orphan.idle);
    return orphan.served === undefined
      ? this.#endUnclaimed(orphan, runners)
      : this.#endServed(orphan.pod, orphan.served);
  }

  /** GitHub cannot be queried about this Pod, so the Pod's own status decides. Its stored session is closed with it. */
  async #endIdle({ pod, evidence }: OrphanedPod, idle: SurelyIdle): Promise<Outcome> {
    if (idle === 'nothing was handed out' && (await this.#retire(pod, evidence)) === 'in-use')
      return 'in-use';
    const outcome = await this.#remove(pod, (now) => isStillIdle(now, idle));
    if (outcome === 'deleted' || outcome === 'gone') await this.#close(pod);
    return outcome;
  }

  async #retire(pod: SeenPod, evidence: Evidence): Promise<'retired' | 'in-use'> {
    const act = draftOf(this.#ports, 'orphaned_stamped_pod', { pod: refOf(pod), evidence });
    const at = this.#ports.clock.now();
    return this.#ports.store.block({ pool: pod.pool, pod: refOf(pod), at }, act);
  }

  async #endUnclaimed({ pod, evidence }: OrphanedPod, runners: RunnerRegistrations): Promise<Outcome> {
    const own = await runners.of(pod);
    // mutation: busy-registration-keeps-pod
    if (own.some(({ isBusy }) => isBusy)) return 'runner-busy';
    // mutation: store-refuses-to-block-pod
    if ((await this.#retire(pod, evidence)) === 'in-use') return 'in-use';
    // Only after the block: the claims that were read may be stale,
    // and a Pod with a newer claim must keep its registration.
    // mutation: deregister-before-delete
    if (!(await runners.deregisterIdle(pod, own))) return 'runner-busy';
    return this.#remove(pod, (now) => !now.isRunnerLive);
  }

  /**
   * The open session keeps dispatch from giving the Pod a job. Close it only when the Pod is gone: without the session,
   * no later run would find the Pod.
   */
  async #endServed(pod: SeenPod, served: ServedOnce): Promise<Outcome> {
    const { session, job, isGivenBack } = served;
    const reported = await askGitHub(this.#ports, job);
    if (!this.#isDoneWith(reported, served)) return 'not-finished';
    // mutation: busy-runner-keeps-pod
    if (!(await this.#isOutOfWork(session, job, isGivenBack))) return 'runner-busy';
    const outcome = await this.#remove(pod, () => true);
    if (outcome === 'deleted' || outcome === 'gone') await this.#close(pod);
    return outcome;
  }

  /** A failure here is only logged, since the Pod is gone in any case; `pod-reconciliation` then closes the session. */
  async #close(pod: SeenPod): Promise<void> {
    const { store, clock, say } = this.#ports;
    try {
      await store.podStopped({ pod: refOf(pod), at: clock.now(), ending: undefined });
    } catch (error) {
      say('failed to close session of removed orphaned Pod', { pod: pod.name, error });
    }
  }

  /**
   * A job that was given back is done by another runner, if at all. If GitHub no longer knows the job, as after its
   * repository was deleted, an earlier answer of GitHub must have ended it; then the state of the runner decides.
   */
  #isDoneWith(reported: JobAtGitHub | undefined, { session, job, isGivenBack }: ServedOnce): boolean {
    if (reported === undefined) return !givenUp.has(job.conclusion);
    if (isGivenBack && reported.runnerName !== session.runnerName) return true;
    const finishedAt = reported.status === 'completed' ? reported.completedAt : undefined;
    return finishedAt !== undefined && this.#ports.clock.now() - finishedAt > this.#limits.finishedMs;
  }

  /**
   * A runner without registration gets no job. A runner that came online after its job was given back may get the next
   * job at any moment.
   */
  async #isOutOfWork(
    { runnerName, pod, generation }: Session,
    { id: jobId, installationId, repository }: Job,
    isGivenBack: boolean,
  ): Promise<boolean> {
    const { github } = this.#ports;
    const tenant = { installationId, repository };
    const runner = await github.runnerNamed(tenant, runnerName);
    if (runner === undefined) return true;
    const about = { jobId, pod, generation };
    return !(isGivenBack && runner.isOnline) && deregisterIdle(this.#ports, { tenant, runner, about });
  }

  /** Reads the Pod again and deletes it if the decision still holds. */
  async #remove(seen: SeenPod, isStillSo: (now: SeenPod) => boolean): Promise<Outcome> {
    const now = await this.#ports.pods.read(seen);
    if (now === undefined) return 'gone';
    if (!isCandidate(now) || subjectOf(now) !== subjectOf(seen) || !isStillSo(now)) return 'changed';
    return this.#ports.pods.remove(now);
  }

  async #take(orphan: OrphanedPod, outcome: Outcome): Promise<void> {
    const { pod, evidence } = orphan;
    await this.#record(orphan, outcome);
    if (outcome === 'deleted') this.#ports.recovered('orphaned_stamped_pod', { pod: refOf(pod), evidence });
  }

  async #record({ pod, served, evidence }: OrphanedPod, outcome: Outcome | 'failed'): Promise<void> {
    const about = { pod: refOf(pod), jobId: served?.job.id, generation: served?.session.generation };
    const act = draftOf(this.#ports, 'orphaned_stamped_pod', { ...about, evidence });
    await this.#ports.store.record({ ...act, outcome });
  }
}

function stayAfter(outcome: Outcome): StayReason | undefined {
  return outcome === 'runner-busy' || outcome === 'not-finished' ? outcome : undefined;
}

/** Only audit records later than the stamp count: an older record may come from an older copy of the database. */
function vouchedFor(pods: readonly SeenPod[], acts: readonly AuditEntry[]): ReadonlySet<string> {
  const known = pods.filter(({ uid, stampedAt }) =>
    acts.some((act) => act.pod?.uid === uid && act.at >= (stampedAt ?? Infinity)),
  );
  return new Set(known.map(({ uid }) => uid));
}

function refOf({ name, uid }: PodRef): PodRef {
  return { name, uid };
}
