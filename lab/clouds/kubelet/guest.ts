/** What runs in the containers of a Pod, as a kubelet sees it. Behind it is a model on virtual time, or a real shell. */
import type { Secret } from '../../../src/platform/secret.ts';

/** Made once for each Pod, so that what one container leaves behind can be kept for the next. */
export type MakeGuest = (pod: GuestPod) => Guest;

export interface GuestPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly nodeName: string;
  readonly os: 'linux' | 'darwin';
}

export interface GuestContainer {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the file with the token holds right now; undefined for a container that has no such file. */
  readonly token: (() => Promise<Secret>) | undefined;
}

export interface GuestSignals {
  /** Asked to end (TERM). */
  readonly term: AbortSignal;
  /** Nobody waits for it any more (KILL). */
  readonly kill: AbortSignal;
}

export interface GuestEnd {
  readonly exitCode: number;
  /** `Completed` or `Error` unless given. */
  readonly reason?: string;
  /** The end of what it printed. */
  readonly log?: string;
}

export interface Guest {
  /** Runs one container until it ends. */
  run(container: GuestContainer, signals: GuestSignals): Promise<GuestEnd>;
  /** The Pod is over and every container has ended. */
  close?(): Promise<void>;
}
