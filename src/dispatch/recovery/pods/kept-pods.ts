/** Which stamped Pods stay although nobody speaks for them, and why: what the gauge shows and a person may have to end. */
import type { Clock } from '../../../platform/clock.ts';
import type { SeenPod } from './runner-pods.ts';
import { isCandidate, subjectOf, type OrphanedPod, type StampedPodLook } from './stamped-pods.ts';
import { unheardBecause } from './pods-without-app.ts';

export const stayReasons = [
  /** The database knows of no claim at all, which may be its fault. */
  'doubtful-database',
  'app-removed',
  'app-suspended',
  'account-unknown',
  /** A runner was started, and no claim or session is known. */
  'runner-started',
  'runner-busy',
  'not-finished',
  'failed',
] as const;

export type StayReason = (typeof stayReasons)[number];

/**
 * By the subject of the suspicion, of Pods whose grace is over. Undefined of those that were or will be tried: what came of that
 * is the reason.
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
  const isSpokenFor = [...claims, ...sessions].some(({ pod }) => pod.uid === uid);
  return !isSpokenFor || unheardBecause(accountId, installations) !== undefined;
}

function reasonOf({ accountId }: SeenPod, { installations }: StampedPodLook): StayReason {
  return unheardBecause(accountId, installations) ?? 'runner-started';
}

/** Only the replica that looked last knows; what it saw is no longer shown when others have looked since. */
const shownForMs = 180_000;

export class StayingPods {
  readonly #clock: Pick<Clock, 'now'>;
  #seenAt: number | undefined;
  #reasons = new Map<string, StayReason>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** All that were found at this look; of one that was tried before and is not tried now, the reason of that time stays. */
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
