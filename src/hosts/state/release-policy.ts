/** What becomes of a host when its machine goes: the policy of the machine, then a pool to go back to, then nothing. */
import { annotations, terminatePolicy } from '../../api/names/annotations.ts';

export interface ReleaseRequest {
  readonly annotations: Readonly<Record<string, string>>;
  /** Of the machine itself. */
  readonly poolPrefix: string | undefined;
  readonly defaultPoolPrefix: string;
}

export type Release =
  | { readonly kind: 'terminate' }
  | { readonly kind: 'pool'; readonly poolPrefix: string }
  /** There is no pool to give it back to: it keeps running under its name, and somebody is told. */
  | { readonly kind: 'skip' };

/** An empty prefix is none: under it every name would look like a free host. */
export function poolPrefixOf(own: string | undefined, fallback: string): string | undefined {
  if (own !== undefined && own !== '') return own;
  // mutation: empty-default-prefix-is-none
  return fallback === '' ? undefined : fallback;
}

/** Ending the rent cannot be undone, so only the exact word does it. */
export function releaseOf(requirements: ReleaseRequest): Release {
  // mutation: terminate-policy
  if (requirements.annotations[annotations.releasePolicy.key] === terminatePolicy)
    return { kind: 'terminate' };
  // mutation: default-pool-prefix
  const poolPrefix = poolPrefixOf(requirements.poolPrefix, requirements.defaultPoolPrefix);
  // mutation: no-pool-skips-release
  return poolPrefix === undefined ? { kind: 'skip' } : { kind: 'pool', poolPrefix };
}
