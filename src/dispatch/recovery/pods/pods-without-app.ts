/**
 * Stamped Pods about which GitHub cannot be queried: the App was removed from their account or suspended, or the
 * account is unknown.
 *
 * An account without the App gets no new jobs. But a runner that has a job continues, and GitHub no longer reports the
 * job. So such a Pod is removed only when it is certainly idle: its annotations or its container status say so, or no
 * job takes as long.
 */
import type { Claim, Installation, Session } from '../../store/rows.ts';
import type { SeenPod } from './runner-pods.ts';

export type Unheard = 'app-removed' | 'app-suspended' | 'account-unknown';

/** Why the Pod is certainly idle. */
export type SurelyIdle = 'nothing was handed out' | 'its runner has ended' | 'no job takes as long';

const dayMs = 86_400_000;
/** GitHub ends a job after five days, and a runner that gets no job within a day. */
export const longestWorkMs = 6 * dayMs;

/** Undefined if the account has an active installation. */
export function unheardBecause(
  accountId: string | undefined,
  installations: readonly Installation[],
): Unheard | undefined {
  const own = installations.filter((installation) => installation.accountId === accountId);
  const has = (state: Installation['state']): boolean =>
    own.some((installation) => installation.state === state);
  if (has('active')) return undefined;
  if (has('suspended')) return 'app-suspended';
  return has('removed') ? 'app-removed' : 'account-unknown';
}

export interface SpokenFor {
  readonly claim: Claim | undefined;
  readonly session: Session | undefined;
}

/** Undefined if the Pod may run a job. */
export function surelyIdle(pod: SeenPod, { claim, session }: SpokenFor, at: number): SurelyIdle | undefined {
  // Dispatch may be about to hand out a registration. A claim that is never promoted is released, so this state ends.
  if (pod.stampedAt === undefined || claim?.state === 'claimed') return undefined;
  if (pod.hasRunnerEnded) return 'its runner has ended';
  if (at - pod.stampedAt >= longestWorkMs) return 'no job takes as long';
  const isInUse = claim !== undefined || session !== undefined;
  return !isInUse && wasHandedNothing(pod) ? 'nothing was handed out' : undefined;
}

/**
 * Pods stamped by an older tool, before the migration to Muster, have no annotation that says whether they were served.
 */
function wasHandedNothing({ hasOurStamp, isServed, isRunnerLive }: SeenPod): boolean {
  return hasOurStamp && !isServed && !isRunnerLive;
}

/** Whether the reason still holds for the Pod as last read. */
export function isStillIdle(now: SeenPod, why: SurelyIdle): boolean {
  switch (why) {
    case 'nothing was handed out':
      return wasHandedNothing(now);
    case 'its runner has ended':
      return now.hasRunnerEnded;
    case 'no job takes as long':
      return true;
  }
}
