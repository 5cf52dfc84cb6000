/** The port to what runs the containers of a Pod: child processes, virtual machines, or a model on virtual time. */
import type { Secret } from '../../platform/secret.ts';

/** Called once for each Pod that the agent sees. */
export type Driver = (pod: DriverPod) => PodSandbox;

export interface DriverPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly nodeName: string;
  readonly os: 'linux' | 'darwin';
}

export interface ContainerOrder {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The current token of the Pod, renewed in time; undefined for a container that no token is mounted in. */
  readonly token: (() => Promise<Secret>) | undefined;
}

export interface ContainerSignals {
  /** The container is asked to end (TERM). */
  readonly term: AbortSignal;
  /** The container is killed (KILL). */
  readonly kill: AbortSignal;
  /** The agent ends: the wait for the container ends, and the container goes on where the driver can resume it. */
  readonly detach?: AbortSignal;
}

export interface ContainerEnd {
  readonly exitCode: number;
  /** `Completed` or `Error` unless given. */
  readonly reason?: string;
  /** The end of what the container printed. */
  readonly log?: string;
}

export interface PodSandbox {
  /** An earlier agent began the Pod, and `run` attaches to its containers. False unless given. */
  readonly isKnown?: boolean;
  /** Its containers go on when the agent ends, and the next agent attaches to them. False unless given. */
  readonly outlivesAgent?: boolean;
  /** Runs one container until it ends. A container that an earlier agent started is never started again. */
  run(container: ContainerOrder, signals: ContainerSignals): Promise<ContainerEnd>;
  /** Every container of the Pod has ended: removes what they left. */
  close?(): Promise<void>;
}
