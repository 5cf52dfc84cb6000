/**
 * The part of the store port for the recovery: guarded repairs of what a crash left behind, the audit records, the
 * leases of workers, and the suspicions from the last look.
 */
import type { AuditDraft, PodRef, AuditEntry } from './rows.ts';

/** Why the runner of a promoted claim will not do its job. */
export type AbandonEvidence =
  /** The Pod no longer exists. */
  | 'pod_stopped'
  /** The runner had enough time, GitHub has never seen it online, and it is no longer registered. */
  | 'aged_out';

export interface Abandonment {
  readonly jobId: string;
  /** The claim of the job. */
  readonly generation: string;
  readonly evidence: AbandonEvidence;
}

export interface GivenUp {
  readonly jobId: string;
  /** The state the job must still have, without an executor. */
  readonly from: 'waiting' | 'queued' | 'running';
  readonly conclusion: string;
  readonly at: number;
}

/** A request to run a worker now, on this replica only. */
export interface LeaseRequest {
  readonly worker: string;
  /** The requesting process; each start of a replica has another name. */
  readonly holder: string;
  readonly at: number;
  /** Minimum time between the starts of two runs, on any replica. */
  readonly everyMs: number;
  /**
   * A lease that is not renewed or released expires after this
   * time: its holder has died, and the worker is due at once.
   */
  readonly leaseMs: number;
}

export type LeaseAnswer =
  /** `goodAt`: when the last successful run began. */
  | { readonly kind: 'taken'; readonly goodAt: number | undefined }
  | { readonly kind: 'held' }
  | { readonly kind: 'not-due' };

/** Renews leases of runs that take longer than the lease. */
export interface RenewedLeases {
  readonly workers: readonly string[];
  readonly holder: string;
  readonly at: number;
  readonly leaseMs: number;
}

export interface LeaseEnd {
  readonly worker: string;
  readonly holder: string;
  readonly isGood: boolean;
}

export interface Lease {
  readonly worker: string;
  readonly holder: string | undefined;
  readonly startedAt: number | undefined;
  readonly heldUntil: number | undefined;
  /** When the last successful run began. */
  readonly goodAt: number | undefined;
}

export interface ActFilter {
  readonly jobId?: string;
  readonly podName?: string;
  readonly podUids?: readonly string[];
  readonly limit: number;
}

export interface Retirement {
  readonly pool: string;
  readonly pod: PodRef;
  readonly at: number;
}

/** Installations and repositories with recent jobs, where our runners may be registered. */
export interface JobSource {
  readonly installationId: string;
  readonly repository: string;
}

/** The age limits of rows to delete. */
export interface Bygone {
  /** For audit records, blocked Pods, deliveries, and logs of completed jobs. */
  readonly notesBefore: number;
  /** For completed jobs and closed sessions. */
  readonly jobsBefore: number;
}

/** An audit record passed to an operation is written in the same transaction, if the operation changed anything. */
export interface RecoveryStore {
  /**
   * Requeues a job that was handed to a Pod and not started, and ends its claim if there is one. The session stays open
   * until its Pod ends. `busy`: the runner has another job, and its Pod lives. `stale`: the job changed meanwhile.
   */
  abandon(abandonment: Abandonment, act: AuditDraft): Promise<'requeued' | 'busy' | 'stale'>;
  /** Ends the job without an answer of GitHub. `stale`: the job has another state by now. */
  giveUp(givenUp: GivenUp, act: AuditDraft): Promise<'given-up' | 'stale'>;
  /** Ends a promoted claim whose job is over, unless its runner executes another job that is not over. */
  settle(generation: string, act: AuditDraft): Promise<'settled' | 'live'>;
  /** Blocks the Pod from getting jobs; refused while it has a claim or an open session. */
  block(retirement: Retirement, act?: AuditDraft): Promise<'retired' | 'in-use'>;

  /**
   * Stores all suspects of this look. Returns since when each was suspected at every look. Subjects not passed are
   * forgotten and start over.
   */
  suspect(worker: string, subjects: readonly string[], at: number): Promise<ReadonlyMap<string, number>>;

  acquireLease(request: LeaseRequest): Promise<LeaseAnswer>;
  /** Ignores leases that have ended or have another holder by now. */
  renewLeases(kept: RenewedLeases): Promise<void>;
  /** Ignores a lease that has another holder by now. */
  releaseLease(end: LeaseEnd): Promise<void>;
  leases(): Promise<readonly Lease[]>;

  /** Stores an audit record outside of another operation. */
  record(act: AuditEntry): Promise<void>;
  /** Newest first. */
  acts(filter: ActFilter): Promise<readonly AuditEntry[]>;
  /**
   * Deletes old rows, a limited number per table; `more` if rows
   * may be left. A job named by a claim or a session stays.
   */
  prune(bygone: Bygone): Promise<'all' | 'more'>;

  jobSources(since: number): Promise<readonly JobSource[]>;
}
