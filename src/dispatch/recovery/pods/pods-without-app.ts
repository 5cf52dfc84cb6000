/**
 * Stamped Pods about which GitHub cannot be asked: the App of their account was removed or suspended, or the account is not known.
 *
 * A removed App gets no new jobs, but a runner that has one goes on with it, and GitHub does not say so any more. So such a Pod goes
 * only when it is idle for certain: by its own word, by that of its Node, or because no job takes as long.
 */
import type { Claim, Installation, Session } from '../../store/rows.ts';
import type { SeenPod } from './runner-pods.ts';

export type Unheard = 'app-removed' | 'app-suspended' | 'account-unknown';

/** Why it is idle for certain. */
export type SurelyIdle = 'nothing was handed out' | 'its runner has ended' | 'no job takes as long';

const dayMs = 86_400_000;
/** GitHub ends a job after five days, and a runner that gets none within a day. */
export const longestWorkMs = 6 * dayMs;

/** Undefined where somebody answers for the account. */
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

/** Undefined where it may be at work. */
export function surelyIdle(pod: SeenPod, { claim, session }: SpokenFor, at: number): SurelyIdle | undefined {
  // A dispatch may be about to hand something out; a claim that it does not promote is given back.
  if (pod.stampedAt === undefined || claim?.state === 'claimed') return undefined;
  if (pod.hasRunnerEnded) return 'its runner has ended';
  if (at - pod.stampedAt >= longestWorkMs) return 'no job takes as long';
  const isSpokenFor = claim !== undefined || session !== undefined;
  return !isSpokenFor && wasHandedNothing(pod) ? 'nothing was handed out' : undefined;
}

/** What an older tool stamped before a fleet changed to this one does not say whether it was served. */
function wasHandedNothing({ hasOurStamp, isServed, isRunnerLive }: SeenPod): boolean {
  return hasOurStamp && !isServed && !isRunnerLive;
}

/** Whether that is still so of the Pod as it is now. */
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
