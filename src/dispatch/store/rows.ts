/**
 * What the store keeps, in our words. Ids are texts everywhere, since those of GitHub exceed what a number holds exactly;
 * times are milliseconds since the epoch and always come from the caller, so that a replay stores the same ones.
 */
export type Platform = 'linux' | 'macos';

export interface Size {
  readonly vcpus: number;
  readonly memoryGb: number;
}

/** What a runner Pod of a pool takes, and what a job on it takes from the budget of its account. */
export interface Shape extends Size {
  readonly platform: Platform;
}

/** Whose jobs they are: an organisation or a user at GitHub. */
export interface Account {
  readonly id: string;
  /** As GitHub spells it, for people and for the owner label. */
  readonly login: string;
}

/** Our App, installed for an account. Webhooks name it, and runners are registered through it. */
export interface Installation {
  readonly id: string;
  readonly accountId: string;
  /** A suspended or removed one keeps its row: what comes late still finds its account. Removed is for good. */
  readonly state: 'active' | 'suspended' | 'removed';
}

/** The most that the jobs of one account may take at the same time on one platform. */
export interface Limit {
  readonly accountId: string;
  readonly platform: Platform;
  readonly vcpus: number;
  readonly memoryGb: number;
}

/** A name of an account for a shape: its jobs say the name in a label, and get a Pod of that shape. */
export interface ProfileDraft extends Shape {
  readonly accountId: string;
  readonly name: string;
}

export interface Profile extends ProfileDraft {
  /** Nobody removes it. */
  readonly isProtected: boolean;
}

/** A job as a webhook or a look at GitHub tells of it, once its pool is known. */
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
  /** When GitHub made the job; of one that was queued, since when it waits for a Pod. */
  readonly queuedAt: number;
}

/** In this order; only a claim that is given back takes a job to `queued` again. */
export const jobStates = [
  /** Somebody must approve it first. Nobody may claim it. */
  'waiting',
  'queued',
  /** A Pod is reserved for it. */
  'claimed',
  /** A registration was handed to a Pod for it, or GitHub said that some runner executes it. */
  'running',
  'completed',
] as const;
export type JobState = (typeof jobStates)[number];

export interface Job extends JobDraft {
  readonly state: JobState;
  /** The claim it was given out with last; see `Claim`. */
  readonly generation: string | undefined;
  readonly claimedAt: number | undefined;
  /** When it began by the word of GitHub. */
  readonly startedAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly conclusion: string | undefined;
  /** The runner that GitHub itself named as the one at work. Only this proves an execution. */
  readonly executor: string | undefined;
  readonly ending: Ending | undefined;
}

/** How the Pod of a job ended, kept because the Pod itself will be gone. */
export interface Ending {
  readonly exitCode: number | undefined;
  readonly reason: string;
  readonly logTail: string;
}

export interface PodRef {
  readonly name: string;
  /** Names are used again, uids are not. */
  readonly uid: string;
}

/**
 * A Pod reserved for a job. The reservation is of the Pod: GitHub gives a job to any runner whose labels match, so which
 * job a Pod really executes is only known when GitHub says so.
 */
export interface Claim {
  /** New with every claim and never used again. Whoever writes for a claim must name it. */
  readonly generation: string;
  readonly jobId: string;
  readonly accountId: string;
  readonly pool: string;
  readonly pod: PodRef;
  readonly shape: Shape;
  /** `claimed` until the registration was handed out. */
  readonly state: 'claimed' | 'running';
  readonly claimedAt: number;
  readonly runnerName: string | undefined;
  readonly executedJobId: string | undefined;
}

/** Opened when a registration is handed out, closed when its Pod has stopped: while open, the Pod may be at work. */
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

/** One webhook of GitHub, known by the id that all its attempts share. */
export interface Delivery {
  readonly guid: string;
  readonly event: string;
  readonly action: string;
  readonly receivedAt: number;
}

/** Why the recovery did what it did: what was observed, in a few words and numbers. */
export type Evidence = Readonly<Record<string, string | number | boolean>>;

/** One thing that the recovery did, kept for whoever asks why. */
export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  /** The word that the metric counts it under. */
  readonly kind: string;
  readonly jobId: string | undefined;
  readonly pod: PodRef | undefined;
  readonly generation: string | undefined;
  readonly evidence: Evidence;
  readonly outcome: string;
}

/** Before it is known what came of it. */
export type AuditDraft = Omit<AuditEntry, 'outcome'>;
