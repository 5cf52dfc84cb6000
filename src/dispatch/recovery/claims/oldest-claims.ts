/**
 * Limits how many claims a run may end. A replica whose clock is ahead takes new claims for old ones, and must not
 * release all current claims at once. A deploy that strands the claims of a hundred Pods is still repaired in one run.
 */
import type { Claim } from '../../store/rows.ts';

export const claimsMax = 100;

export function oldestClaims(claims: readonly Claim[]): readonly Claim[] {
  return claims.toSorted((a, b) => a.claimedAt - b.claimedAt).slice(0, claimsMax);
}
