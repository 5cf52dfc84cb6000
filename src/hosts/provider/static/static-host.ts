/** A Mac of the list, and the notes about it. */
import type { Secret } from '../../../platform/secret.ts';
import type { OperatingSystem, ServerAddress } from '../port.ts';

export interface StaticHost extends ServerAddress {
  /** The name until a rename. */
  readonly name: string;
  readonly type: string;
  readonly ip: string;
  /** The image that the wipe installs. */
  readonly os: OperatingSystem;
  readonly sshUsername: string;
  readonly sudoPassword: Secret | undefined;
}

export interface HostNote {
  readonly name?: string | undefined;
  /** Identifies the last wipe that was started and did not succeed: its start time and a unique id. */
  readonly wipe?: string | undefined;
  /** Why that wipe failed. Without a value, the wipe runs or was cut off. */
  readonly failure?: string | undefined;
}

export interface NoteStore {
  /**
   * Hosts without a note may be missing. An unreadable store is a failure, because started wipes would be unknown.
   */
  read(): Promise<ReadonlyMap<string, HostNote>>;
  /** Durable once it resolves. `next` runs again on the newest note after a concurrent write. */
  change(id: string, next: (before: HostNote) => HostNote): Promise<void>;
}
