/**
 * The rows of the store. Ids are strings, since ids of GitHub exceed a safe integer. Times are milliseconds since the
 * epoch and always come from the caller, so that a replay stores the same times.
 */
export type Platform = 'linux' | 'macos';

export interface Size {
  readonly vcpus: number;
  readonly memoryGb: number;
}

/** The size of a runner Pod of a pool, which a job on it takes from the budget of its account. */
export interface Shape extends Size {
  readonly platform: Platform;
}

/** An organisation or a user at GitHub. */
export interface Account {
  readonly id: string;
  /** In GitHub's spelling, for people and for the owner label. */
  readonly login: string;
}

/** The App installed in an account. Webhooks name the installation, and runners are registered through it. */
export interface Installation {
  readonly id: string;
  readonly accountId: string;
  /** A suspended or removed installation keeps its row, so that late webhooks find its account. Removed is final. */
  readonly state: 'active' | 'suspended' | 'removed';
}

/** The maximum that the jobs of one account may use at the same time on one platform. */
export interface Limit {
  readonly accountId: string;
  readonly platform: Platform;
  readonly vcpus: number;
  readonly memoryGb: number;
}

/** An account's name for a shape: jobs with the name in a label get a Pod of that shape. */
export interface ProfileDraft extends Shape {
  readonly accountId: string;
  readonly name: string;
}

export interface Profile extends ProfileDraft {
  /** The profile cannot be removed. */
  readonly isProtected: boolean;
}

/** A job from a webhook or a poll of GitHub, with its pool. */
export interface JobDraft {
  readonly id: string;
  readonly accountId: string;
  readonly installationId: string;
  readonly pool: string;
  readonly shape: Shape;
  /** The label by which the job chose its pool; its runner must carry it. */
  readonly label: string;
  readonly repository: string;
  readonly runId: string;
  readonly runAttempt: number;
  readonly workflow: string;
  readonly name: string;
  readonly branch: string;
  readonly commit: string;
  /** When GitHub created the job; for a queued job, since when it waits for a Pod. */
  readonly queuedAt: number;
}

/** In order; only a released or abandoned claim moves a job back to `queued`. */
export const jobStates = [
  /** Waits for an approval; cannot be claimed. */
  'waiting',
  'queued',
  /** A Pod is claimed for the job. */
  'claimed',
  /** A registration was handed to a Pod, or GitHub reported that a runner executes the job. */
  'running',
  'completed',
] as const;
export type JobState = (typeof jobStates)[number];

export interface Job extends JobDraft {
  readonly state: JobState;
  /** The last claim of the job; see `Claim`. */
  readonly generation: string | undefined;
  readonly claimedAt: number | undefined;
  /** When the job started, as reported by GitHub. */
  readonly startedAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly conclusion: string | undefined;
  /** The runner that GitHub named as executor. Only this proves an execution. */
  readonly executor: string | undefined;
  readonly ending: Ending | undefined;
}

/** How the Pod of a job ended, stored since the Pod will be deleted. */
export interface Ending {
  readonly exitCode: number | undefined;
  readonly reason: string;
  readonly logTail: string;
}

export interface PodRef {
  readonly name: string;
  /** Unlike names, uids are never reused. */
  readonly uid: string;
}

/**
 * A Pod reserved for a job. The claim is on the Pod: GitHub gives a job to any runner with matching labels, so only
 * GitHub's report shows which job a Pod executes.
 */
export interface Claim {
  /** A new id for every claim, never reused. Every write for a claim must name it. */
  readonly generation: string;
  readonly jobId: string;
  readonly accountId: string;
  readonly pool: string;
  readonly pod: PodRef;
  readonly shape: Shape;
  /** `claimed` until promotion, just before the registration is handed out. */
  readonly state: 'claimed' | 'running';
  readonly claimedAt: number;
  readonly runnerName: string | undefined;
  readonly executedJobId: string | undefined;
}

/**
 * Opened when a registration is handed out, closed when its Pod has
 * ended. While the session is open, the Pod may be running a job.
 */
export interface Session {
  readonly id: string;
  readonly generation: string;
  readonly jobId: string;
  readonly accountId: string;
  readonly pool: string;
  readonly pod: PodRef;
  readonly runnerName: string;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly executedJobId: string | undefined;
}

/** One webhook of GitHub, identified by the id that all its attempts share. */
export interface Delivery {
  readonly guid: string;
  readonly event: string;
  readonly action: string;
  readonly receivedAt: number;
}

/** The facts behind a repair, in a few words and numbers. */
export type Evidence = Readonly<Record<string, string | number | boolean>>;

/** One action of the recovery, kept to explain it later. */
export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  /** The value of the metric label `kind`. */
  readonly kind: string;
  readonly jobId: string | undefined;
  readonly pod: PodRef | undefined;
  readonly generation: string | undefined;
  readonly evidence: Evidence;
  readonly outcome: string;
}

/** An audit record without its outcome. */
export type AuditDraft = Omit<AuditEntry, 'outcome'>;
