/**
 * The port to whoever rents out the Macs, or owns them. Everything above speaks to this and knows no provider.
 *
 * Each call either does what it says or throws a `FleetError` whose reason is a `ProviderReason`. A write that returns
 * was accepted, no more: that it took effect is something to see in a later read. A write that fails as `OutcomeUnknown`
 * may have been made, may be made later, or never; so each of them is meant to be asked for again.
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
 * A word that nobody knows is `unknown`, and whatever is not `ready` is not ready. `interrupted`: a wipe began, did not
 * end, and nobody is at it; only another one helps.
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
  /** Undefined when there is none yet, or one that nobody should connect to. */
  readonly ip: string | undefined;
  readonly status: ServerStatus;
  /** The status in the words of the provider. */
  readonly statusText: string;
  /** It was handed over once; it stays so while it is reinstalled. */
  readonly delivered: boolean;
  /** The image it was first installed with; a later one may not show here. */
  readonly os: OperatingSystem | undefined;
  /** When the minimum time of rent ends, in milliseconds since the epoch. */
  readonly deletableAt: number | undefined;
  readonly deletionScheduled: boolean;
  readonly sshUsername: string;
  /** Undefined when the provider does not tell it. */
  readonly sudoPassword: Secret | undefined;
  /** Where its screen can be seen; it has a password inside. */
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
  /** All of them, or a failure: what it gives has every server that was there from the beginning of the call to its end. */
  listServers(zone: string): Promise<readonly Server[]>;
  getServer(address: ServerAddress): Promise<Server>;
  rename(address: ServerAddress, name: string): Promise<void>;
  /** Wipes the disk. Without an image, the one that the provider takes for servers of this type. */
  reinstall(address: ServerAddress, osId?: string): Promise<void>;
  reboot(address: ServerAddress): Promise<void>;
  /** Ends the rent now; `BillingFloor` as long as its minimum time is not over. */
  delete(address: ServerAddress): Promise<void>;
  /** Ends the rent as soon as it may end. */
  scheduleDeletion(address: ServerAddress): Promise<void>;
  /** What servers of this type can be reinstalled with, at this moment. */
  listOs(zone: string, serverType: string): Promise<readonly OperatingSystem[]>;
  readonly sshKeys: SshKeys;
}
