/** What the controllers of hosts are told. */
import type { RateLimitOptions } from '../platform/rate-limit.ts';
import type { RunnersSettings } from './runner-pools/runner-settings.ts';

/** An adoption takes some seventeen requests; a quiet fleet makes next to none. */
export const usualKubeRequests: RateLimitOptions = { perSecond: 300, burst: 600 };

export interface FleetSettings {
  readonly zones: readonly string[];
  /** Empty: a machine without a prefix of its own finds no host. */
  readonly defaultPoolPrefix: string;
  /** Empty: stranded hosts are reported and not touched. */
  readonly claimPrefix: string;
  /** Of those that machines name themselves; undefined: any that is sound. */
  readonly allowedPoolPrefixes?: readonly string[];
  readonly inventoryIntervalMs: number;
  readonly sweepIntervalMs: number;
  readonly reclaimsMax: number;
  readonly workers: number;
  readonly secretsNamespace: string;
  readonly leaseNamespace: string;
  readonly leaseName: string;
  /** No more repairs of duplicates than this at once; none: they are only reported. */
  readonly duplicateRepairsMax?: number;
  /** The Deployment that is rolled when the set of Macs changes. */
  readonly fleetSpread?: { readonly namespace: string; readonly deployment: string };
  /** Euros a day by type of server, as far as somebody gave them. */
  readonly hostPrices?: ReadonlyMap<string, number>;
  /** Without it no RunnerPool is seen to. */
  readonly runners?: RunnersSettings;
  /** Of the API server; those for leases and events come on top. */
  readonly kubeRequests?: RateLimitOptions;
  readonly lease: { readonly durationMs: number; readonly actMs: number; readonly handoverMs: number };
}
