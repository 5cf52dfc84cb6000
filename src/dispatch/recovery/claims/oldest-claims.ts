/**
 * How many claims a turn may end. A replica whose clock is ahead takes claims for old that were just made, and must not give back
 * all that is under way at once. A deploy that strands the claims of a hundred Pods is set right in one turn.
 */
import type { Claim } from '../../store/rows.ts';

export const claimsMax = 100;

export function oldestClaims(claims: readonly Claim[]): readonly Claim[] {
  return claims.toSorted((a, b) => a.claimedAt - b.claimedAt).slice(0, claimsMax);
}
