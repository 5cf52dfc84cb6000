/** What the controllers of hosts are told. */
export interface FleetSettings {
  readonly zones: readonly string[];
  /** Empty: a machine without a prefix of its own finds no host. */
  readonly defaultPoolPrefix: string;
  /** Empty: stranded hosts are reported and not touched. */
  readonly claimPrefix: string;
  readonly inventoryIntervalMs: number;
  readonly sweepIntervalMs: number;
  readonly reclaimsMax: number;
  readonly workers: number;
  readonly secretsNamespace: string;
  readonly leaseNamespace: string;
  readonly leaseName: string;
  readonly lease: { readonly durationMs: number; readonly actMs: number; readonly handoverMs: number };
}
