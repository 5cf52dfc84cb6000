/**
 * The port to the persistence of a store. The store works in memory and appends each change to its journal first. A
 * change is durable once a later `durable()` has resolved.
 *
 * A journal guarantees: durable changes are loaded completely and in their last state; the loaded revision is at least
 * every appended revision, even when the change itself was lost; and after a failed write it accepts nothing more,
 * because the memory is then ahead of the disk.
 */
import type { KubeObject } from '../kube-object.ts';
import type { StoreEvent } from './event-log.ts';

export interface KeptObject {
  readonly resource: string;
  readonly key: string;
  readonly object: KubeObject;
}

export interface Kept {
  /** No higher revision was ever issued. After a crash it may be above the last change. */
  readonly revision: number;
  /** Frozen. */
  readonly objects: readonly KeptObject[];
}

export interface Journal {
  /** The stored state at the opening. Called once, so that the memory can be freed. */
  load(): Kept;
  /** Appends a change, or throws without an effect. */
  append(event: StoreEvent): void;
  /** Resolves when all appended changes are durable; rejects after a failed write. */
  durable(): Promise<void>;
  /** Writes the waiting changes and closes the journal. Throws when a write fails. */
  close(): void;
}
