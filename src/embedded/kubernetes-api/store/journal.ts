/**
 * The port to the place that keeps a store. The store works in memory and tells its journal each change before it
 * makes it; a change counts as kept once `durable()` has resolved after it, and not before.
 *
 * A journal promises: what was durable comes back, whole and in its last state; a revision that was ever appended is
 * never above the one that comes back, not even when the change itself was lost; and after a failed write it takes
 * nothing more, because by then the memory is ahead of what is kept.
 */
import type { KubeObject } from '../kube-object.ts';
import type { StoreEvent } from './event-log.ts';

export interface KeptObject {
  readonly resource: string;
  readonly key: string;
  readonly object: KubeObject;
}

export interface Kept {
  /** No revision above this one was ever given out. After a crash it may lie above the last change. */
  readonly revision: number;
  /** Frozen. */
  readonly objects: readonly KeptObject[];
}

export interface Journal {
  /** What was kept when the journal was opened. Asked for once, so that old states can be let go. */
  load(): Kept;
  /** Takes a change, or throws and has taken nothing. */
  append(event: StoreEvent): void;
  /** Resolves when everything appended so far survives a crash, and rejects when it does not. */
  durable(): Promise<void>;
  /** Keeps what is still waiting, and lets go of the place. Throws when something could not be kept. */
  close(): void;
}
