/**
 * Which stamped Pods stay although no claim or session names them, and why. The gauge shows the counts; an operator may
 * have to delete such Pods.
 */
import type { Clock } from '../../../platform/clock.ts';
import type { SeenPod } from './runner-pods.ts';
import { isCandidate, subjectOf, type OrphanedPod, type StampedPodLook } from './stamped-pods.ts';
import { unheardBecause } from './pods-without-app.ts';

export const stayReasons = [
  /** The database has no claim and no session at all: it may be the wrong database. */
  'doubtful-database',
  'app-removed',
  'app-suspended',
  'account-unknown',
  /** A runner was started, and the database has no claim or session. */
  'runner-started',
  'runner-busy',
  'not-finished',
  'failed',
] as const;

export type StayReason = (typeof stayReasons)[number];

/**
 * Reasons by subject of the suspicion, for Pods whose grace period is over. Undefined for Pods whose removal was or
 * will be tried: the outcome of that attempt is the reason.
 */
export function reasonsToStay(
  look: StampedPodLook,
  orphans: readonly OrphanedPod[],
  graceMs: number,
): ReadonlyMap<string, StayReason | undefined> {
  const found = new Map<string, StayReason | undefined>();
  const byUid = new Map(orphans.map((orphan) => [orphan.pod.uid, orphan]));
  for (const pod of look.pods) {
    if (!isCandidate(pod) || look.at - (pod.stampedAt ?? look.at) < graceMs) continue;
    const orphan = byUid.get(pod.uid);
    if (orphan !== undefined) found.set(subjectOf(pod), orphan.isDoubtful ? 'doubtful-database' : undefined);
    else if (isLeft(pod, look)) found.set(subjectOf(pod), reasonOf(pod, look));
  }
  return found;
}

function isLeft({ uid, accountId }: SeenPod, { claims, sessions, installations }: StampedPodLook): boolean {
  const isInUse = [...claims, ...sessions].some(({ pod }) => pod.uid === uid);
  return !isInUse || unheardBecause(accountId, installations) !== undefined;
}

function reasonOf({ accountId }: SeenPod, { installations }: StampedPodLook): StayReason {
  return unheardBecause(accountId, installations) ?? 'runner-started';
}

/**
 * Only the replica that looked last knows the reasons. Hide
 * counts older than this, since another replica has looked since.
 */
const shownForMs = 180_000;

export class StayingPods {
  readonly #clock: Pick<Clock, 'now'>;
  #seenAt: number | undefined;
  #reasons = new Map<string, StayReason>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Starts a look. A Pod tried in an earlier look and not in this one keeps its reason from then. */
  begin(found: ReadonlyMap<string, StayReason | undefined>): void {
    const next = new Map<string, StayReason>();
    for (const [subject, reason] of found) {
      const stays = reason ?? this.#reasons.get(subject);
      if (stays !== undefined) next.set(subject, stays);
    }
    this.#reasons = next;
    this.#seenAt = this.#clock.now();
  }

  note(subject: string, reason: StayReason | undefined): void {
    if (reason === undefined) this.#reasons.delete(subject);
    else this.#reasons.set(subject, reason);
  }

  counts(): readonly { readonly reason: StayReason; readonly count: number }[] {
    const isShown = this.#seenAt !== undefined && this.#clock.now() - this.#seenAt <= shownForMs;
    if (!isShown) return [];
    const all = [...this.#reasons.values()];
    return stayReasons.map((reason) => ({ reason, count: all.filter((one) => one === reason).length }));
  }
}
