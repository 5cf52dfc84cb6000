/**
 * The port to the store of jobs: queue, claims, sessions, deliveries, accounts. Two things implement it, PostgreSQL and a
 * model in memory for the simulator, and one suite drives both with the same random commands.
 *
 * Every verb is one transaction: it happened as a whole or not at all. A verb that fails with `OutcomeUnknown` may have
 * happened; all of them may be asked again with the same arguments.
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

/** What a delivery is about, once it was read and routed. */
export type Effect =
  | { readonly kind: 'wait'; readonly job: JobDraft }
  | EnqueueEffect
  | { readonly kind: 'start'; readonly job: JobDraft; readonly runnerName: string; readonly at: number }
  | { readonly kind: 'complete'; readonly job: JobDraft; readonly end: JobEnd }
  | InstallEffect;

export interface EnqueueEffect {
  readonly kind: 'enqueue';
  readonly job: JobDraft;
  /** When we heard that it is queued, which decides since when it waits (`queued-since.ts`). Without it, since the job says. */
  readonly at?: number;
}

export interface InstallEffect {
  readonly kind: 'install';
  readonly account: Account;
  readonly installation: Installation;
  /** Of the profile that an account gets if it is new. Without a size it gets none. */
  readonly firstProfile?: Size | undefined;
}

export interface JobEnd {
  /** Absent, as is `startedAt`, where no runner ever took the job. */
  readonly runnerName: string | undefined;
  readonly startedAt: number | undefined;
  readonly conclusion: string;
  readonly at: number;
}

/** What became of a delivery. `known` is the second attempt of one that was already carried out. */
export type Ingested = 'known' | 'changed' | 'unchanged';

export interface ClaimRequest {
  readonly pool: string;
  /** Who waits, longest first, each with the generation that a claim of it shall have. */
  readonly pods: readonly ClaimingPod[];
  readonly at: number;
  /** Jobs queued before this are left to the recovery: asking the whole past costs more with every month. */
  readonly queuedAfter: number;
  readonly except: Exceptions;
}

export interface ClaimingPod extends PodRef {
  readonly generation: string;
}

/** What just failed for a reason of its own, so that it does not block what waits behind it. */
export interface Exceptions {
  readonly jobs: ReadonlySet<string>;
  readonly repositories: ReadonlySet<string>;
  readonly accounts: ReadonlySet<string>;
}

export type ClaimAnswer =
  | { readonly kind: 'claimed'; readonly pod: PodRef; readonly claim: Claim; readonly job: Job }
  /** A registration was handed out for the Pod, or it was retired: it gets nothing, now or later. */
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

/** What an account has in use and may have, per platform. */
export interface Usage extends Limit {
  readonly usedVcpus: number;
  readonly usedMemoryGb: number;
}

/** What the autoscaler of a pool goes by. */
export interface Signals {
  readonly claimed: number;
  /** Queued jobs that the budgets of their accounts have room for. */
  readonly queued: number;
  /** Queued jobs that they have no room for, or whose account has the App no more. */
  readonly withheld: number;
  /** Pods with a claim or an open session. */
  readonly occupied: number;
  /** How many Pods had a session at once in the last hour: the 95th percentile of its busy minutes. */
  readonly p95LastHour: number;
  readonly oldestQueuedAt: number | undefined;
}

export interface JobFilter {
  readonly pool?: string;
  readonly accountId?: string;
  readonly states?: readonly Job['state'][];
  readonly ids?: readonly string[];
  readonly queuedBefore?: number;
  /** Else oldest first; this decides, too, which ones the limit leaves out. */
  readonly isNewestFirst?: boolean;
  readonly limit: number;
}

/** A runner by the name that it has at GitHub, where its account keeps names apart. */
export interface RunnerName {
  readonly accountId: string;
  readonly runnerName: string;
}

/** A Pod, or all that were ever called so: those are looked for among all sessions, for the question of a person now and then. */
export type SessionOwner = { readonly podUid: string } | { readonly podName: string };

export interface JobStore extends RecoveryStore {
  /** Durable when it returns: the delivery and what follows from it, together. */
  ingest(delivery: Delivery, effect: Effect): Promise<Ingested>;
  /** The same effect without a delivery, found by a look at GitHub. Here and below, an act is written if anything changed. */
  apply(effect: Effect, act?: AuditDraft): Promise<'changed' | 'unchanged'>;

  /**
   * One answer for each Pod, in the order asked. Of an account of which it is known that the App was suspended or removed,
   * no job is given out; when it is back they go on. A Pod asks one question after another; so if it holds a claim that was
   * not promoted, whoever made that claim can no longer answer it, and it is given back before anything else.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimAnswer[]>;
  /** `finished`: the job ended meanwhile, or another runner has it. `stale`: the claim is no more. Neither leaves a session. */
  promote(promotion: Promotion): Promise<'promoted' | 'finished' | 'stale'>;
  /**
   * Gives the claim back, and its job to the queue unless it is at work or over. `stale`: the claim is no longer there, or
   * it was promoted meanwhile, and then only the end of its Pod or of what it executes ends it.
   */
  release(generation: string, act?: AuditDraft): Promise<'released' | 'stale'>;

  /** Closes the session of the Pod and gives its claim back; returns jobs of which only GitHub knows how they stand. */
  podStopped(stopped: StoppedPod, act?: AuditDraft): Promise<readonly Job[]>;

  job(id: string): Promise<Job | undefined>;
  jobs(filter: JobFilter): Promise<readonly Job[]>;
  /** Which pools jobs are queued for, by name: also those that the cluster has no more. */
  queuedPools(): Promise<readonly string[]>;
  claims(): Promise<readonly Claim[]>;
  openSessions(): Promise<readonly Session[]>;
  /** The newest of the Pod, or of the Pods of this name, also when it is over. */
  lastSession(of: SessionOwner): Promise<Session | undefined>;
  /** Of those of these runners that are ours: a runner is registered for one session. */
  sessionsOf(runners: readonly RunnerName[]): Promise<readonly Session[]>;
  signals(pool: string, at: number): Promise<Signals>;

  accounts(): Promise<readonly Account[]>;
  account(id: string): Promise<Account | undefined>;
  installations(): Promise<readonly Installation[]>;
  installation(id: string): Promise<Installation | undefined>;
  usage(): Promise<readonly Usage[]>;
  setLimit(limit: Limit): Promise<void>;

  /** Of one account, by name. */
  profiles(accountId: string): Promise<readonly Profile[]>;
  /** Adds it, or gives it another size. Jobs that are known stay where they are. */
  putProfile(draft: ProfileDraft): Promise<'changed' | 'unchanged' | ProfileRefusal>;
  removeProfile(accountId: string, name: string): Promise<'changed' | 'unchanged' | 'protected'>;
}
