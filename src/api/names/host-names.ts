/**
 * What the name of a server at the provider means. The name is the only mark that other tools and people see there.
 * An empty prefix matches no name: otherwise a forgotten setting would make every host look free.
 */
import { z } from 'zod';

/** The name of a host whose adoption is under way or was cut off. */
export const claimPendingPrefix = 'tuist-claim-pending-';

/** The provider's name of a new server that is not set up yet. */
export const newServerPrefix = 'apple-silicon-';

/** The pool prefix that most fleets use. */
export const usualPoolPrefix = 'tuist-pool-';

/** Created only by parsing, so that no host gets a name that no pool would find again. */
export const PoolPrefix = z
  .string()
  .min(1, 'a pool prefix may not be empty')
  .refine((prefix) => !isClaimPendingName(prefix), `a pool prefix may not start with ${claimPendingPrefix}`)
  .brand<'PoolPrefix'>();
export type PoolPrefix = z.infer<typeof PoolPrefix>;

/** The name of a free host. `unique` must be unique, such as a fresh uuid. */
export function poolHostName(prefix: PoolPrefix, unique: string): string {
  return `${prefix}${unique}`;
}

export function claimPendingName(unique: string): string {
  return `${claimPendingPrefix}${unique}`;
}

export function isClaimPendingName(name: string): boolean {
  return name.startsWith(claimPendingPrefix);
}

/** A pending name is never a pool name, even if it starts with the pool prefix. */
export function isPoolName(name: string, poolPrefix: string): boolean {
  return hasPrefix(name, poolPrefix) && !isClaimPendingName(name);
}

/** Whether the name is one that machines of this cluster give to their hosts. */
export function isClaimStyleName(name: string, claimPrefix: string): boolean {
  return hasPrefix(name, claimPrefix) && !isClaimPendingName(name);
}

function hasPrefix(name: string, prefix: string): boolean {
  // mutation: empty-prefix-matches-nothing
  return prefix !== '' && name.startsWith(prefix);
}
