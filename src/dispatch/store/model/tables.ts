/** The rows of the model in memory, and shared lookups. */
import { ignoreJobEvents, type Reported } from '../job-events.ts';
import type { Lease } from '../recovery-port.ts';
import type {
  Account,
  Claim,
  Delivery,
  Installation,
  Job,
  JobDraft,
  Limit,
  Profile,
  AuditEntry,
  Session,
} from '../rows.ts';

export class Tables {
  readonly reported: Reported;
  readonly accounts = new Map<string, Account>();
  readonly installations = new Map<string, Installation>();
  /** By account and platform. */
  readonly limits = new Map<string, Limit>();
  /** By account and name. */
  readonly profiles = new Map<string, Profile>();
  readonly deliveries = new Map<string, Delivery>();
  readonly jobs = new Map<string, Job>();
  /** Ids of jobs reported as queued, even if after their start or end. */
  readonly heardQueued = new Set<string>();
  /** By generation. */
  readonly claims = new Map<string, Claim>();
  readonly sessions = new Map<string, Session>();
  /** Uids of blocked Pods, and since when. */
  readonly retired = new Map<string, number>();
  readonly acts = new Map<string, AuditEntry>();
  readonly leases = new Map<string, Lease>();
  /** Since when, by worker and subject. */
  readonly suspects = new Map<string, ReadonlyMap<string, number>>();

  /** `reported` receives job events. */
  constructor(reported: Reported = ignoreJobEvents) {
    this.reported = reported;
  }

  setLimit(limit: Limit): void {
    this.limits.set(limitKey(limit), limit);
  }

  limitOf(of: Pick<Limit, 'accountId' | 'platform'>): Limit | undefined {
    return this.limits.get(limitKey(of));
  }

  activeInstallations(accountId: string): readonly string[] {
    return this.#installationsOf(accountId).flatMap(({ id, state }) => (state === 'active' ? [id] : []));
  }

  /** False if the account has installations and none is active. */
  hasApp(accountId: string): boolean {
    const installed = this.#installationsOf(accountId);
    return installed.length === 0 || installed.some(({ state }) => state === 'active');
  }

  #installationsOf(of: string): readonly Installation[] {
    return [...this.installations.values()].filter(({ accountId }) => accountId === of);
  }

  /** The sum of the account's live claims on the platform. */
  used({ accountId, platform }: Pick<Limit, 'accountId' | 'platform'>): { vcpus: number; memoryGb: number } {
    const shapes = [...this.claims.values()]
      .filter((claim) => claim.accountId === accountId && claim.shape.platform === platform)
      .map((claim) => claim.shape);
    return {
      vcpus: shapes.reduce((sum, shape) => sum + shape.vcpus, 0),
      memoryGb: shapes.reduce((sum, shape) => sum + shape.memoryGb, 0),
    };
  }

  isInUse(podUid: string): boolean {
    return (
      [...this.claims.values()].some((claim) => claim.pod.uid === podUid) ||
      [...this.sessions.values()].some(
        (session) => session.pod.uid === podUid && session.endedAt === undefined,
      )
    );
  }
}

function limitKey({ accountId, platform }: Pick<Limit, 'accountId' | 'platform'>): string {
  return `${accountId}/${platform}`;
}

export function newJob(draft: JobDraft, state: Job['state']): Job {
  return {
    ...draft,
    state,
    generation: undefined,
    claimedAt: undefined,
    startedAt: undefined,
    completedAt: undefined,
    conclusion: undefined,
    executor: undefined,
    ending: undefined,
  };
}
