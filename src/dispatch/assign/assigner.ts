/**
 * One poll of a runner Pod, from the request to a handed-out registration. The order makes a crash harmless: commit the
 * claim, stamp the Pod, register a runner at GitHub, mark the Pod as served, promote claim, job and session together,
 * hand the registration out. A failure undoes the steps at once, in reverse order.
 */
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Secret } from '../../platform/secret.ts';
import { isRateLimited, type GitHub, type Listener, type Registration } from '../github/port.ts';
import type { ClaimAnswer, JobStore } from '../store/port.ts';
import type { Account, AuditDraft, Claim, Job, PodRef } from '../store/rows.ts';
import type { NotAttempted, ParkedPolls } from './parked-polls.ts';
import type { DrainReason } from './drain-reasons.ts';
import type { RunnerPodLabels, RunnerPod, Stamped } from './runner-pod-labels.ts';
import { registrationFailure } from './registration-failure.ts';
import { labelsOfRunner, runnerNameFor, workFolderFor } from './registration.ts';
import { registerInTime } from './register-with-deadline.ts';
import type { Cooldowns } from './cooldowns.ts';
import { Undo } from './undo.ts';

/** The fields of a RunnerPool that a registration needs. */
export interface PoolFacts {
  readonly image: string;
  readonly runnerLabels: readonly string[];
}

export interface DispatcherPorts {
  readonly store: Pick<JobStore, 'claim' | 'claims' | 'promote' | 'release'>;
  readonly parkedPolls: ParkedPolls;
  readonly pods: RunnerPodLabels;
  readonly github: Pick<GitHub, 'register' | 'removeRunner'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly cooldowns: Cooldowns;
  /** Undefined if there is no such pool, or the pool is not known yet. */
  readonly pool: (name: string) => PoolFacts | undefined;
  readonly account: (id: string) => Promise<Account | undefined>;
  readonly say: (happened: string, about: object) => void;
}

export interface Poll {
  readonly pool: string;
  readonly pod: PodRef;
  /** When the request arrived; the time for authentication counts. */
  readonly askedAt: number;
  /** How long after `askedAt` jobs are chosen for the poll. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

interface PollOfPod extends Poll {
  /** The Pod as read when the poll began. */
  readonly seen: RunnerPod;
}

export type PollAnswer =
  | { readonly kind: 'served'; readonly jitConfig: Secret; readonly owner: string; readonly jobId: string }
  | { readonly kind: 'nothing' }
  /** The Pod should end: it gets no job any more. */
  | { readonly kind: 'drain'; readonly reason: DrainReason }
  /** The Pod no longer exists. */
  | { readonly kind: 'gone' };

interface PodListener extends Listener {
  /** How long jobs are chosen for a poll. */
  readonly waitMs: number;
}

type Claimed = Extract<ClaimAnswer, { kind: 'claimed' }>;
/** `try-another`: the claim failed for a reason that is not the Pod's. */
type Attempt = PollAnswer | { readonly kind: 'try-another' };
/** No runner was registered. `nothing`: another attempt in the same poll would fail too. */
interface Unregistered {
  readonly kind: 'try-another' | 'nothing';
  /** Recorded when the claim is released. */
  readonly failure?: AuditDraft;
}

/** Jobs tried for a Pod within one poll. */
const attemptsMax = 16;
/**
 * How long a dispatch may take after its job can be chosen last; usually below a second. A slower dispatch is undone:
 * the Pod is about to give up, and a registration that does not arrive costs the Pod.
 */
const servingMs = 2000;
/** `overtaken`: a later poll of the Pod was served; its stamp stays. */
const unstamped = { gone: { kind: 'gone' }, overtaken: { kind: 'nothing' } } as const;
const stampAttempts = 3;
const promoteAttempts = 3;

export class Dispatcher {
  readonly #ports: DispatcherPorts;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
  }

  async poll(poll: Poll): Promise<PollAnswer> {
    const { pods } = this.#ports;
    const pod = await pods.read(poll.pod);
    // mutation: missing-pod-is-gone
    if (pod === undefined) return { kind: 'gone' };
    // mutation: unexplained-stamp-refuses
    const reason = this.#drainReason(pod, poll.pool) ?? (await this.#stampDoubt(pod));
    if (reason !== undefined) return { kind: 'drain', reason };
    const first = await this.#claim(poll, poll.askedAt + poll.waitMs - this.#ports.clock.now());
    const answer = await this.#serveOne(first, { ...poll, seen: pod });
    // The Pod is alive and the store, read later, has no claim: the stamp is left over from a dead replica, and would
    // prevent a scale-down. If the store was not asked, the stamp may belong to another poll that was served.
    // mutation: store-not-asked-keeps-stamp
    const isFree = answer.kind === 'nothing' && first.kind !== 'not-attempted';
    // mutation: clear-leftover-stamp
    if (isFree && pod.stampedFor !== undefined) await this.#clearOldStamp(pod, pod.stampedFor);
    return answer;
  }

  #drainReason(pod: RunnerPod, poolName: string): DrainReason | undefined {
    if (pod.isDrained) return 'OperatorDrain';
    // The job in the Pod may poll with its token, and a database restored from an older copy may not have the job.
    // mutation: served-pod-gets-nothing
    if (pod.isServed) return 'AlreadyServed';
    const pool = this.#ports.pool(poolName);
    // Without the labels of the pool, the registered runner may not match its job.
    if (pool === undefined)
      throw new FleetError('unavailable', {
        reason: 'PoolUnknown',
        message: `the pool ${poolName} is not known`,
      });
    return pod.image !== pool.image && pod.isDrainEligible ? 'StaleImage' : undefined;
  }

  /**
   * A stamp with a stored claim belongs to a failed dispatch, or the store says that the Pod was served. The claim of
   * any other stamp may be lost: after a restore from an older copy, a job that polls from its Pod would get the job of
   * another account.
   */
  async #stampDoubt({ owner, stampedFor }: RunnerPod): Promise<DrainReason | undefined> {
    if (owner === undefined && stampedFor === undefined) return undefined;
    const claims = await this.#ports.store.claims();
    return claims.some(({ generation }) => generation === stampedFor) ? undefined : 'UnknownStamp';
  }

  async #serveOne(first: ClaimAnswer | NotAttempted, poll: PollOfPod): Promise<PollAnswer> {
    let answer = first;
    for (let attempt = 1; answer.kind === 'claimed'; attempt += 1) {
      const served = await this.#serve(answer, poll);
      if (served.kind !== 'try-another') return served;
      if (attempt === attemptsMax) return { kind: 'nothing' };
      answer = await this.#claim(poll, 0);
    }
    // mutation: only-nothing-is-nothing
    if (answer.kind === 'nothing' || answer.kind === 'not-attempted') return { kind: 'nothing' };
    const reason = answer.why === 'retired' ? 'Retired' : 'AlreadyServed';
    return { kind: 'drain', reason };
  }

  /** Claims nothing if too little time is left to hand the job out. */
  async #claim(
    { pool, pod, askedAt, waitMs, signal }: Poll,
    patienceMs: number,
  ): Promise<ClaimAnswer | NotAttempted> {
    const { parkedPolls, clock } = this.#ports;
    if (clock.now() > askedAt + waitMs) return { kind: 'not-attempted' };
    return parkedPolls.wait({ pool, pod, waitMs: patienceMs, signal });
  }

  async #serve({ claim, job }: Claimed, { pod, seen, askedAt, waitMs, signal }: PollOfPod): Promise<Attempt> {
    const { store, pods, clock, account, say } = this.#ports;
    const undo = new Undo(say);
    let failure: AuditDraft | undefined;
    undo.add('the claim', async () => store.release(claim.generation, failure));
    try {
      const owner = await account(job.accountId);
      if (owner === undefined || signal.aborted) return await undo.all({ kind: 'nothing' });
      const stamp = { owner, generation: claim.generation };
      // mutation: undo-removes-stamp
      undo.add('the stamp', async () => pods.unstamp(pod, stamp.generation));
      const stamped = await writtenTo(async () => pods.stamp(seen, stamp));
      // mutation: pod-without-stamp-gets-nothing
      if (stamped !== 'stamped') return await undo.all(unstamped[stamped]);
      const until = askedAt + waitMs + servingMs;
      const registration = await this.#register({ claim, job }, { until, signal, waitMs });
      // The client is gone or gives up soon. A registration that is not handed out expires.
      if (signal.aborted || clock.now() > until) return await undo.all({ kind: 'nothing' });
      if ('kind' in registration) {
        failure = registration.failure;
        return await undo.all({ kind: registration.kind });
      }
      const failed = await this.#commit(claim, registration.runnerName);
      if (failed !== undefined) return await undo.all(failed);
      return { kind: 'served', jitConfig: registration.jitConfig, owner: owner.login, jobId: job.id };
    } catch (error) {
      // The session may be running. The Pod polls again and is answered that it was served, or the claim becomes stale.
      if (error instanceof PromotionUnknown) throw error.cause;
      await undo.all(undefined);
      throw error;
    }
  }

  /** Marks the Pod as served before the store is written: a served Pod without the mark might be served again. */
  async #commit({ pod, generation }: Claim, runnerName: string): Promise<Attempt | undefined> {
    const { pods, newId, clock } = this.#ports;
    const marked = await writtenTo(async () => pods.markServed(pod, generation));
    if (marked !== 'stamped') return unstamped[marked];
    const result = await this.#promote({ generation, runnerName, sessionId: newId(), at: clock.now() });
    return result === 'promoted' ? undefined : { kind: 'try-another' };
  }

  /** Registers a runner; on failure returns what the poll does next. */
  async #register(
    { claim, job }: Pick<Claimed, 'claim' | 'job'>,
    listener: PodListener,
  ): Promise<Registration | Unregistered> {
    const { cooldowns, say, newId, clock } = this.#ports;
    try {
      const registration = await this.#registerFor(claim.pod.name, job, listener);
      cooldowns.clear({ jobs: job.id, repositories: job.repository, accounts: job.accountId });
      return registration;
    } catch (error) {
      say('failed to register runner', { job: job.id, pool: job.pool, pod: claim.pod.name, error });
      if (isRateLimited(error)) return this.#passOver(job, error, listener);
      const failure = registrationFailure(claim, error, { id: newId(), at: clock.now() });
      return { ...this.#letRest(job, error), failure };
    }
  }

  /** The account only has too many registrations. Skip it until a poll that begins then can be answered in time. */
  #passOver({ accountId }: Job, { retryAt = 0 }: FleetError, { waitMs }: PodListener): Unregistered {
    const { cooldowns, clock } = this.#ports;
    const until = retryAt - waitMs;
    cooldowns.skipUntil(accountId, until);
    return { kind: until > clock.now() ? 'try-another' : 'nothing' };
  }

  /** Starts the cooldown that fits the failure. */
  #letRest(job: Job, error: unknown): Unregistered {
    const { cooldowns } = this.#ports;
    if (isFleetError(error, 'gone')) cooldowns.add('repositories', job.repository);
    else if (isFleetError(error, 'rejected')) cooldowns.add('accounts', job.accountId);
    else if (isFleetError(error, 'notYet')) this.#waitUntil(job, error.retryAt);
    else cooldowns.add('jobs', job.id);
    return { kind: 'try-another' };
  }

  /** GitHub names the retry time: the account is tried then, also for Pods that are already waiting. */
  #waitUntil({ accountId }: Job, retryAt: number | undefined): void {
    const { cooldowns, clock, parkedPolls } = this.#ports;
    if (retryAt === undefined) return cooldowns.add('accounts', accountId);
    cooldowns.skipUntil(accountId, retryAt);
    clock.after(retryAt - clock.now(), () => parkedPolls.wake());
  }

  async #registerFor(podName: string, job: Job, listener: Listener): Promise<Registration> {
    const { github, clock, cooldowns, newId, pool, say } = this.#ports;
    const labels = labelsOfRunner(pool(job.pool) ?? { runnerLabels: [] }, job.label);
    const { installationId, repository, shape } = job;
    const order = { installationId, repository, labels, workFolder: workFolderFor(shape.platform) };
    const newName = (): string => runnerNameFor(podName, newId());
    return registerInTime({ order, job, listener }, { github, clock, cooldowns, newName, say });
  }

  /** Promotion is idempotent, so it may be retried. */
  async #promote(promotion: Parameters<JobStore['promote']>[0]): ReturnType<JobStore['promote']> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#ports.store.promote(promotion);
      } catch (error) {
        if (attempt === promoteAttempts || !isFleetError(error, 'unavailable'))
          throw new PromotionUnknown(error);
      }
  }

  async #clearOldStamp(pod: RunnerPod, stampedFor: string): Promise<void> {
    const { pods, say } = this.#ports;
    try {
      await pods.unstamp(pod, stampedFor);
    } catch (error) {
      say('failed to clear old stamp', { pod: pod.name, error });
    }
  }
}

/** Retries a write of marks: a Pod without them looks free to the pool controller and to the next poll. */
async function writtenTo(write: () => Promise<Stamped>): Promise<Stamped> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await write();
    } catch (error) {
      if (attempt === stampAttempts || isFleetError(error, 'rejected')) throw error;
    }
}

/** The session may have been opened, so nothing may be undone. */
class PromotionUnknown extends Error {
  constructor(cause: unknown) {
    super('the promotion may have happened', { cause });
  }
}
