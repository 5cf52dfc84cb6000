/** Settings of the host controllers. */
import type { RateLimitOptions } from '../platform/rate-limit.ts';
import type { RunnersSettings } from './runner-pools/runner-settings.ts';

/** An adoption takes some seventeen requests; an idle fleet makes next to none. */
export const usualKubeRequests: RateLimitOptions = { perSecond: 300, burst: 600 };

export interface FleetSettings {
  readonly zones: readonly string[];
  /** Empty: a machine without its own prefix gets no host. */
  readonly defaultPoolPrefix: string;
  /** Empty: stranded hosts are only reported. */
  readonly claimPrefix: string;
  /** The prefixes that machines may use; undefined allows any valid prefix. */
  readonly allowedPoolPrefixes?: readonly string[];
  readonly inventoryIntervalMs: number;
  readonly sweepIntervalMs: number;
  readonly reclaimsMax: number;
  readonly workers: number;
  readonly secretsNamespace: string;
  readonly leaseNamespace: string;
  readonly leaseName: string;
  /** Limit of repairs of duplicates at once; 0: duplicates are only reported. */
  readonly duplicateRepairsMax?: number;
  /** The Deployment that is rolled when the set of Macs changes. */
  readonly fleetSpread?: { readonly namespace: string; readonly deployment: string };
  /** Euros a day by server type, for the types with a configured price. */
  readonly hostPrices?: ReadonlyMap<string, number>;
  /** Undefined: RunnerPools are not managed. */
  readonly runners?: RunnersSettings;
  /** Limit of requests to the API server; leases and Events have their own. */
  readonly kubeRequests?: RateLimitOptions;
  readonly lease: { readonly durationMs: number; readonly actMs: number; readonly handoverMs: number };
}
