/**
 * What the recovery asks of the store beside the verbs that everybody uses: to set right what a crash left behind, each
 * verb guarded by what must still be so when it is carried out, and to keep what was done, whose turn it is, and what was
 * found wrong at the last look.
 */
import type { AuditDraft, PodRef, AuditEntry } from './rows.ts';

/** How it is known that the runner of a promoted claim will not do its job. */
export type AbandonEvidence =
  /** Its Pod is no more. */
  | 'pod_stopped'
  /** It had time enough, GitHub has never seen it, and it is no longer registered there. */
  | 'aged_out';

export interface Abandonment {
  readonly jobId: string;
  /** The claim that the job was given out with. */
  readonly generation: string;
  readonly evidence: AbandonEvidence;
}

export interface GivenUp {
  readonly jobId: string;
  /** Where it must still stand, with nobody named as at work on it. */
  readonly from: 'waiting' | 'queued' | 'running';
  readonly conclusion: string;
  readonly at: number;
}

/** Somebody wants to do a piece of recovery now, alone among all replicas. */
export interface LeaseRequest {
  readonly worker: string;
  /** Who asks; another name for each start of a replica. */
  readonly holder: string;
  readonly at: number;
  /** How long after the beginning of the last turn, whoever had it, the next one may begin. */
  readonly everyMs: number;
  /** A turn that nobody ends or keeps is over by then: whoever had it has died, and it is due at once. */
  readonly leaseMs: number;
}

export type LeaseAnswer =
  /** With when the last turn began that went well. */
  | { readonly kind: 'taken'; readonly goodAt: number | undefined }
  | { readonly kind: 'held' }
  | { readonly kind: 'not-due' };

/** Whoever has a turn that lasts longer than the lease goes on having it. */
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
  /** When the last turn began that went well. */
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

/** For whom jobs came lately: where our runners may be registered. */
export interface JobSource {
  readonly installationId: string;
  readonly repository: string;
}

/** What is old enough to be forgotten. */
export interface Bygone {
  /** Acts, retired Pods, deliveries, and the last words of jobs that are over. */
  readonly notesBefore: number;
  /** Jobs that are over, and sessions that are closed. */
  readonly jobsBefore: number;
}

/** Where a verb takes an act, the act is written in the same transaction, if the verb changed anything. */
export interface RecoveryStore {
  /**
   * A job that was handed to a Pod and that no runner took waits again, and the claim it was given out with is gone, where
   * there still is one. The session stays as it is: only the end of its Pod ends it. `busy`: the runner has another job, and
   * its Pod lives. `stale`: the job went on meanwhile.
   */
  abandon(abandonment: Abandonment, act: AuditDraft): Promise<'requeued' | 'busy' | 'stale'>;
  /** The job ends although GitHub has not said so. `stale`: it stands elsewhere by now. */
  giveUp(givenUp: GivenUp, act: AuditDraft): Promise<'given-up' | 'stale'>;
  /** Ends a promoted claim whose job is over, and of whose runner no other job is known that is not. */
  settle(generation: string, act: AuditDraft): Promise<'settled' | 'live'>;
  /** From now on the Pod gets nothing; refused while a claim or an open session speaks for it. */
  block(retirement: Retirement, act?: AuditDraft): Promise<'retired' | 'spoken-for'>;

  /**
   * What a worker finds wrong at this look, all of it. Returns since when it was found wrong at every look; what is not
   * named is forgotten, so that it begins anew.
   */
  suspect(worker: string, subjects: readonly string[], at: number): Promise<ReadonlyMap<string, number>>;

  acquireLease(request: LeaseRequest): Promise<LeaseAnswer>;
  /** Nothing of what has ended, or of what somebody else has by now. */
  renewLeases(kept: RenewedLeases): Promise<void>;
  /** Nothing where somebody else has it by now. */
  releaseLease(end: LeaseEnd): Promise<void>;
  leases(): Promise<readonly Lease[]>;

  /** An act that is not part of a verb. */
  record(act: AuditEntry): Promise<void>;
  /** Newest first. */
  acts(filter: ActFilter): Promise<readonly AuditEntry[]>;
  /**
   * Forgets what is older, a limited number of each at once; `more` where that may not have been all. A job that a claim or a
   * session still names stays.
   */
  prune(bygone: Bygone): Promise<'all' | 'more'>;

  jobSources(since: number): Promise<readonly JobSource[]>;
}
