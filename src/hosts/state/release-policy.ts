/** What happens to a host when its machine is deleted: the machine's policy decides, then whether there is a pool. */
import { annotations, terminatePolicy } from '../../api/names/annotations.ts';

export interface ReleaseRequest {
  readonly annotations: Readonly<Record<string, string>>;
  /** Of the machine. */
  readonly poolPrefix: string | undefined;
  readonly defaultPoolPrefix: string;
}

export type Release =
  | { readonly kind: 'terminate' }
  | { readonly kind: 'pool'; readonly poolPrefix: string }
  /** No pool to return the host to: the host keeps running under its name, and the machine reports it. */
  | { readonly kind: 'skip' };

/** An empty prefix counts as no prefix: under it every name would look like a free host. */
export function poolPrefixOf(own: string | undefined, fallback: string): string | undefined {
  if (own !== undefined && own !== '') return own;
  // mutation: empty-default-prefix-is-none
  return fallback === '' ? undefined : fallback;
}

/** Ending the rent cannot be undone, so only the exact value does it. */
export function releaseOf(requirements: ReleaseRequest): Release {
  // mutation: terminate-policy
  if (requirements.annotations[annotations.releasePolicy.key] === terminatePolicy)
    return { kind: 'terminate' };
  // mutation: default-pool-prefix
  const poolPrefix = poolPrefixOf(requirements.poolPrefix, requirements.defaultPoolPrefix);
  // mutation: no-pool-skips-release
  return poolPrefix === undefined ? { kind: 'skip' } : { kind: 'pool', poolPrefix };
}
