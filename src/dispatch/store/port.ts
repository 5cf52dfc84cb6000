/**
 * The port to the store of jobs: queue, claims, sessions, deliveries, accounts. PostgreSQL and a model in memory for
 * the simulator implement it, and one suite drives both with the same random commands.
 *
 * Every operation is one transaction. An operation that fails with `OutcomeUnknown` may have happened. All operations
 * are idempotent, so they may be repeated with the same arguments.
 */
import type { ProfileRefusal } from './profile-rules.ts';
import type { RecoveryStore } from './recovery-port.ts';
import type {
  Account,
  AuditDraft,
  Claim,
  Delivery,
  Ending,
  Installation,
  Job,
  JobDraft,
  Limit,
  PodRef,
  Profile,
  ProfileDraft,
  Session,
  Size,
} from './rows.ts';

/** The effect of a delivery after routing. */
export type Effect =
  | { readonly kind: 'wait'; readonly job: JobDraft }
  | EnqueueEffect
  | { readonly kind: 'start'; readonly job: JobDraft; readonly runnerName: string; readonly at: number }
  | { readonly kind: 'complete'; readonly job: JobDraft; readonly end: JobEnd }
  | InstallEffect;

export interface EnqueueEffect {
  readonly kind: 'enqueue';
  readonly job: JobDraft;
  /**
   * When the job was first reported as queued, which decides its waiting time (`queued-since.ts`). Default: the
   * creation time of the job.
   */
  readonly at?: number;
}

export interface InstallEffect {
  readonly kind: 'install';
  readonly account: Account;
  readonly installation: Installation;
  /** The size of the profile that a new account gets. Without a size it gets no profile. */
  readonly firstProfile?: Size | undefined;
}

export interface JobEnd {
  /** Absent, like `startedAt`, if no runner ever took the job. */
  readonly runnerName: string | undefined;
  readonly startedAt: number | undefined;
  readonly conclusion: string;
  readonly at: number;
}

/** The outcome of a delivery. `known`: an earlier attempt was already applied. */
export type Ingested = 'known' | 'changed' | 'unchanged';

export interface ClaimRequest {
  readonly pool: string;
  /** The waiting Pods, longest first, each with the generation for its claim. */
  readonly pods: readonly ClaimingPod[];
  readonly at: number;
  /** Jobs queued before this are left to the recovery: reading the whole past would become slower every month. */
  readonly queuedAfter: number;
  readonly except: Exceptions;
}

export interface ClaimingPod extends PodRef {
  readonly generation: string;
}

/** What is on cooldown, so that it does not block the jobs behind it. */
export interface Exceptions {
  readonly jobs: ReadonlySet<string>;
  readonly repositories: ReadonlySet<string>;
  readonly accounts: ReadonlySet<string>;
}

export type ClaimAnswer =
  | { readonly kind: 'claimed'; readonly pod: PodRef; readonly claim: Claim; readonly job: Job }
  /** The Pod was served or blocked: it gets no job, now or later. */
  | { readonly kind: 'taken'; readonly pod: PodRef; readonly why: 'served' | 'retired' }
  | { readonly kind: 'nothing'; readonly pod: PodRef };

export interface Promotion {
  readonly generation: string;
  readonly runnerName: string;
  readonly sessionId: string;
  readonly at: number;
}

export interface StoppedPod {
  readonly pod: PodRef;
  readonly at: number;
  readonly ending: Ending | undefined;
}

/** Usage and limit of an account on a platform. */
export interface Usage extends Limit {
  readonly usedVcpus: number;
  readonly usedMemoryGb: number;
}

/** The input of the autoscaler of a pool. */
export interface Signals {
  readonly claimed: number;
  /** Queued jobs within the budgets of their accounts. */
  readonly queued: number;
  /** Queued jobs beyond these budgets, or whose account no longer has the App. */
  readonly withheld: number;
  /** Pods with a claim or an open session. */
  readonly occupied: number;
  /** Concurrent sessions in the last hour: the 95th percentile of its busy minutes. */
  readonly p95LastHour: number;
  readonly oldestQueuedAt: number | undefined;
}

export interface JobFilter {
  readonly pool?: string;
  readonly accountId?: string;
  readonly states?: readonly Job['state'][];
  readonly ids?: readonly string[];
  readonly queuedBefore?: number;
  /** Default: oldest first. The order also decides which jobs the limit cuts off. */
  readonly isNewestFirst?: boolean;
  readonly limit: number;
}

/** A runner by its name at GitHub, which is unique within its account. */
export interface RunnerName {
  readonly accountId: string;
  readonly runnerName: string;
}

/**
 * A Pod, or all Pods that ever had this name. The search by name
 * reads all sessions, so it is for rare queries of operators.
 */
export type SessionOwner = { readonly podUid: string } | { readonly podName: string };

export interface JobStore extends RecoveryStore {
  /** Stores the delivery and its effect together; durable on return. */
  ingest(delivery: Delivery, effect: Effect): Promise<Ingested>;
  /**
   * Applies an effect without a delivery, found by a poll of GitHub. Here and below, the audit record is written if
   * anything changed.
   */
  apply(effect: Effect, act?: AuditDraft): Promise<'changed' | 'unchanged'>;

  /**
   * Returns one answer per Pod, in order. Accounts whose App is known to be suspended or removed get no jobs; their
   * jobs continue when it is active again. A Pod sends one poll at a time. So an unpromoted claim of the Pod belongs to
   * a poll that can no longer be answered, and is released first.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimAnswer[]>;
  /**
   * `finished`: the job ended meanwhile, or another runner has it.
   * `stale`: the claim no longer exists. Neither opens a session.
   */
  promote(promotion: Promotion): Promise<'promoted' | 'finished' | 'stale'>;
  /**
   * Releases the claim, and requeues its job unless the job is running or over. `stale`: the claim no longer exists, or
   * was promoted meanwhile. A promoted claim ends only with its Pod or with the job it executes.
   */
  release(generation: string, act?: AuditDraft): Promise<'released' | 'stale'>;

  /** Closes the session of the Pod and releases its claim. Returns the jobs whose state only GitHub knows. */
  podStopped(stopped: StoppedPod, act?: AuditDraft): Promise<readonly Job[]>;

  job(id: string): Promise<Job | undefined>;
  jobs(filter: JobFilter): Promise<readonly Job[]>;
  /** Names of the pools with queued jobs, including deleted pools. */
  queuedPools(): Promise<readonly string[]>;
  claims(): Promise<readonly Claim[]>;
  openSessions(): Promise<readonly Session[]>;
  /** The newest session of the Pod, or of the Pods of this name, open or closed. */
  lastSession(of: SessionOwner): Promise<Session | undefined>;
  /** The sessions of these runners, as far as they are ours: each runner is registered for one session. */
  sessionsOf(runners: readonly RunnerName[]): Promise<readonly Session[]>;
  signals(pool: string, at: number): Promise<Signals>;

  accounts(): Promise<readonly Account[]>;
  account(id: string): Promise<Account | undefined>;
  installations(): Promise<readonly Installation[]>;
  installation(id: string): Promise<Installation | undefined>;
  usage(): Promise<readonly Usage[]>;
  setLimit(limit: Limit): Promise<void>;

  /** The profiles of one account, by name. */
  profiles(accountId: string): Promise<readonly Profile[]>;
  /** Adds a profile or changes its size. Known jobs keep their pool. */
  putProfile(draft: ProfileDraft): Promise<'changed' | 'unchanged' | ProfileRefusal>;
  removeProfile(accountId: string, name: string): Promise<'changed' | 'unchanged' | 'protected'>;
}
