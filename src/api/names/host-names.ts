/**
 * What the name of a server at the provider says about it. The name is the only mark other tools and people can see there.
 * An empty prefix matches nothing: otherwise a forgotten setting would make every host look free.
 */
import { z } from 'zod';

/** A host under such a name was being adopted when its adopter stopped. */
export const claimPendingPrefix = 'tuist-claim-pending-';

/** So the provider calls a new server: whoever sets it up has not named it yet. */
export const newServerPrefix = 'apple-silicon-';

/** The pool prefix fleets use unless they have a reason not to. */
export const usualPoolPrefix = 'tuist-pool-';

/** Made only by parsing, so that a host is never renamed to something no pool would find again. */
export const PoolPrefix = z
  .string()
  .min(1, 'a pool prefix may not be empty')
  .refine((prefix) => !isClaimPendingName(prefix), `a pool prefix may not start with ${claimPendingPrefix}`)
  .brand<'PoolPrefix'>();
export type PoolPrefix = z.infer<typeof PoolPrefix>;

/** Name of a free host. `unique` makes the name one of a kind; a fresh uuid is expected. */
export function poolHostName(prefix: PoolPrefix, unique: string): string {
  return `${prefix}${unique}`;
}

export function claimPendingName(unique: string): string {
  return `${claimPendingPrefix}${unique}`;
}

export function isClaimPendingName(name: string): boolean {
  return name.startsWith(claimPendingPrefix);
}

/** A pending name is never a pool name, not even where the pool prefix is a part of the pending prefix. */
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
