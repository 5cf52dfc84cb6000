/**
 * The port to the provider of the Macs. All other code uses this port and knows no provider.
 *
 * Each call either does what its name says or throws a `FleetError` whose reason is a `ProviderReason`. A write that
 * returns was accepted, no more: only a later read shows that it took effect. A write that fails as `OutcomeUnknown`
 * may have happened, may still happen, or never, so every write may be repeated.
 */
import type { Secret } from '../../platform/secret.ts';

export const serverStatuses = [
  'starting',
  'ready',
  'error',
  'rebooting',
  'updating',
  'locking',
  'locked',
  'unlocking',
  'reinstalling',
  'busy',
] as const;

/**
 * An unknown status is `unknown`, and only `ready` means ready. `interrupted`: a wipe began, did not end, and no
 * longer runs; only another wipe helps.
 */
export type ServerStatus = (typeof serverStatuses)[number] | 'interrupted' | 'unknown';

export interface ServerAddress {
  readonly zone: string;
  readonly id: string;
}

export interface OperatingSystem {
  readonly id: string;
  /** Such as `macos-tahoe-26.3`. */
  readonly name: string;
  /** Such as `Tahoe`. */
  readonly family: string;
  readonly version: string;
  readonly isBeta: boolean;
}

export interface Server extends ServerAddress {
  readonly name: string;
  readonly type: string;
  /** Undefined without an address, or with one that must not be used. */
  readonly ip: string | undefined;
  readonly status: ServerStatus;
  /** The status as the provider spells it. */
  readonly statusText: string;
  /** The server was delivered once; this stays true during a reinstall. */
  readonly delivered: boolean;
  /** The image of the first installation; a later image may not appear here. */
  readonly os: OperatingSystem | undefined;
  /** End of the minimum rental period, in milliseconds since the epoch. */
  readonly deletableAt: number | undefined;
  readonly deletionScheduled: boolean;
  readonly sshUsername: string;
  /** Undefined when the provider does not return it. */
  readonly sudoPassword: Secret | undefined;
  /** The address of the screen, which contains a password. */
  readonly vncUrl: Secret | undefined;
}

export interface SshKey {
  readonly id: string;
  readonly name: string;
  readonly publicKey: string;
}

export interface SshKeys {
  list(): Promise<readonly SshKey[]>;
  register(key: Omit<SshKey, 'id'>): Promise<SshKey>;
  delete(id: string): Promise<void>;
}

export interface Provider {
  /** A complete listing or a failure: it contains every server that existed during the whole call. */
  listServers(zone: string): Promise<readonly Server[]>;
  getServer(address: ServerAddress): Promise<Server>;
  rename(address: ServerAddress, name: string): Promise<void>;
  /** Wipes the disk. Without an image, the provider's default for the server type is installed. */
  reinstall(address: ServerAddress, osId?: string): Promise<void>;
  reboot(address: ServerAddress): Promise<void>;
  /** Ends the rent now; fails with `BillingFloor` within the minimum rental period. */
  delete(address: ServerAddress): Promise<void>;
  /** Ends the rent as soon as possible. */
  scheduleDeletion(address: ServerAddress): Promise<void>;
  /** The images that servers of this type can be reinstalled with now. */
  listOs(zone: string, serverType: string): Promise<readonly OperatingSystem[]>;
  readonly sshKeys: SshKeys;
}
