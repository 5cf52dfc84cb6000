/**
 * Pods that carry a stamp although nobody speaks for them: whoever stamped one died, or could not take the stamp off again.
 * The pool takes such a Pod for busy, so it is never scaled down and never replaced.
 *
 * A Pod goes only if no claim and no open session names it, no runner was seen to start in it, and GitHub says that its runner
 * is not at work; or if GitHub has called its job finished for a while, or its job was given back a while ago, and its runner is
 * not at work. All at two looks in a row, the Pods listed before the claims are read: a Pod that is in the list was stamped
 * before, and its claim was committed before that. A Pod about which GitHub cannot be asked goes only when it is idle for certain
 * (`pods-without-app.ts`).
 *
 * The last steps: from `retire` on dispatch gives the Pod nothing; the Pod is read once more; and the server deletes it only if
 * nobody has written to it since, so that a stamp in between saves it.
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

/** One that stays is tried again later and later. */
const askAgainMs = 60_000;
const askAgainMostMs = 900_000;
/** How jobs end here of which GitHub says nothing. All others ended by its word. */
const givenUp: ReadonlySet<string | undefined> = new Set(['gone', 'stale']);

type Outcome = 'deleted' | 'overtaken' | 'gone' | 'spoken-for' | 'changed' | 'runner-busy' | 'not-finished';

export class OrphanedStampedPods implements Worker {
  readonly name = 'orphaned-stamped-pods';
  readonly everyMs = 60_000;
  readonly #ports: RecoveryPorts;
  readonly #limits: StampedPodLimits;
  /** Those that were not removed when they were tried. */
  readonly #asked = new KeyedBackoff(askAgainMs, askAgainMostMs);
  readonly #staying: StayingPods;
  /** When the stamps without a time were first seen, as the store had it at the last look. */
  #firstSeen: ReadonlyMap<string, number> = new Map();

  constructor(ports: RecoveryPorts, limits: StampedPodLimits = stampedPodLimits) {
    this.#ports = ports;
    this.#limits = limits;
    this.#staying = new StayingPods(ports.clock);
  }

  /** Stamped Pods that stay, as far as this replica was the last to look. */
  staying(): ReturnType<StayingPods['counts']> {
    return this.#staying.counts();
  }

  async run({ at }: Tick): Promise<void> {
    const { store, say } = this.#ports;
    const look = await this.#look(at);
    const orphans = decideStampedPods(look, this.#limits);
    if (isDoubtful(look))
      say('stamped Pods and not one claim: those that are not known are given a quarter of an hour', {
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
        say('an orphaned Pod could not be removed', { pod: orphan.pod.name, error });
        await this.#record(orphan, 'failed');
      },
    );
  }

  /** While the installation of a job is suspended GitHub tells nobody how the job stands. */
  #askable(orphans: readonly OrphanedPod[], { installations }: StampedPodLook): readonly OrphanedPod[] {
    const suspended = new Set(installations.filter(({ state }) => state === 'suspended').map(({ id }) => id));
    return orphans.filter(({ served }) => !suspended.has(served?.job.installationId ?? ''));
  }

  async #look(at: number): Promise<StampedPodLook> {
    const { pods: runnerPods, store } = this.#ports;
    // In this order; see above.
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

  /** Nobody can say more of it than its Node does. What is stored of it goes with it. */
  async #endIdle({ pod, evidence }: OrphanedPod, idle: SurelyIdle): Promise<Outcome> {
    if (idle === 'nothing was handed out' && (await this.#retire(pod, evidence)) === 'spoken-for')
      return 'spoken-for';
    const outcome = await this.#remove(pod, (now) => isStillIdle(now, idle));
    if (outcome === 'deleted' || outcome === 'gone') await this.#close(pod);
    return outcome;
  }

  async #retire(pod: SeenPod, evidence: Evidence): Promise<'retired' | 'spoken-for'> {
    const act = draftOf(this.#ports, 'orphaned_stamped_pod', { pod: refOf(pod), evidence });
    const at = this.#ports.clock.now();
    return this.#ports.store.block({ pool: pod.pool, pod: refOf(pod), at }, act);
  }

  async #endUnclaimed({ pod, evidence }: OrphanedPod, runners: RunnerRegistrations): Promise<Outcome> {
    const own = await runners.of(pod);
    // mutation: busy-registration-keeps-pod
    if (own.some(({ isBusy }) => isBusy)) return 'runner-busy';
    // mutation: store-refuses-to-block-pod
    if ((await this.#retire(pod, evidence)) === 'spoken-for') return 'spoken-for';
    // Not before: what was read may be too old to know of a claim, and its runner must not lose its registration.
    // mutation: deregister-before-delete
    if (!(await runners.deregisterIdle(pod, own))) return 'runner-busy';
    return this.#remove(pod, (now) => !now.isRunnerLive);
  }

  /** Its session is open, so dispatch gives it nothing. It stays open until the Pod is gone: else nobody would look again. */
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

  /** That the Pod is gone is true also when this fails; then `pod-reconciliation` closes what is stored of it. */
  async #close(pod: SeenPod): Promise<void> {
    const { store, clock, say } = this.#ports;
    try {
      await store.podStopped({ pod: refOf(pod), at: clock.now(), ending: undefined });
    } catch (error) {
      say('the session of an orphaned Pod that is gone could not be closed', { pod: pod.name, error });
    }
  }

  /**
   * A job that was given back is done by somebody else, if by anybody. Of one that GitHub does not know any more, as when its
   * repository was deleted, it must have said before that it was over; what it says of the runner then decides.
   */
  #isDoneWith(reported: JobAtGitHub | undefined, { session, job, isGivenBack }: ServedOnce): boolean {
    if (reported === undefined) return !givenUp.has(job.conclusion);
    if (isGivenBack && reported.runnerName !== session.runnerName) return true;
    const finishedAt = reported.status === 'completed' ? reported.completedAt : undefined;
    return finishedAt !== undefined && this.#ports.clock.now() - finishedAt > this.#limits.finishedMs;
  }

  /** A runner that is no longer registered can be given nothing; one that came after all is given the next job at any moment. */
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

  /** As it is now, if it is still what was decided about. */
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

/** Only what was done since the stamp says anything about it: an older act may be in an older copy of the database. */
function vouchedFor(pods: readonly SeenPod[], acts: readonly AuditEntry[]): ReadonlySet<string> {
  const known = pods.filter(({ uid, stampedAt }) =>
    acts.some((act) => act.pod?.uid === uid && act.at >= (stampedAt ?? Infinity)),
  );
  return new Set(known.map(({ uid }) => uid));
}

function refOf({ name, uid }: PodRef): PodRef {
  return { name, uid };
}
