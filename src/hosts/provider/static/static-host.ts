/** A Mac of a list, and what is kept about it beyond the list. */
import type { Secret } from '../../../platform/secret.ts';
import type { OperatingSystem, ServerAddress } from '../port.ts';

export interface StaticHost extends ServerAddress {
  /** Its name until somebody gives it another. */
  readonly name: string;
  readonly type: string;
  readonly ip: string;
  /** What the wipe leaves on it. */
  readonly os: OperatingSystem;
  readonly sshUsername: string;
  readonly sudoPassword: Secret | undefined;
}

export interface HostNote {
  readonly name?: string | undefined;
  /** Names the wipe that was begun last and not seen to succeed: when it began, and a word of its own. */
  readonly wipe?: string | undefined;
  /** Why that wipe failed; without it, it runs or was cut off. */
  readonly failure?: string | undefined;
}

export interface NoteStore {
  /** Hosts without a note may be missing. A store that cannot be read is a failure: nobody knows what was begun. */
  read(): Promise<ReadonlyMap<string, HostNote>>;
  /** Durable once it resolves. `next` is asked again about the newest note when somebody else wrote meanwhile. */
  change(id: string, next: (before: HostNote) => HostNote): Promise<void>;
}
