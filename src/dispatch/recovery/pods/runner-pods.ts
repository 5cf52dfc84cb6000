/** Port of the recovery to runner Pods: list, read, and delete with a precondition. */
import type { PodRef } from '../../store/rows.ts';

/** What the recovery knows of a Pod. */
export interface SeenPod extends PodRef {
  readonly resourceVersion: string;
  /** Empty if the label is missing. */
  readonly pool: string;
  /**
   * A job was claimed for the Pod: it has the owner label or the account label. The manager counts such a Pod as busy.
   */
  readonly isStamped: boolean;
  /**
   * When dispatch stamped the Pod, from its annotation. Undefined
   * if missing or invalid, as for stamps of an older tool.
   */
  readonly stampedAt: number | undefined;
  /**
   * Dispatch stamped the Pod, as its annotation says. An older
   * tool writes only the labels, and never that a Pod was served.
   */
  readonly hasOurStamp: boolean;
  /** The Pod may have received a registration, as its annotation says. */
  readonly isServed: boolean;
  /** The GitHub id of the job's account; undefined if the label is missing. */
  readonly accountId: string | undefined;
  readonly isTerminating: boolean;
  /** The Pod has succeeded or failed; its creator deletes it. */
  readonly isTerminal: boolean;
  /**
   * A runner was started in the Pod, or is about to start. Always
   * false for a Mac, whose only container runs from the beginning.
   */
  readonly isRunnerLive: boolean;
  /** The runner container has terminated; on a Mac that is the virtual machine. */
  readonly hasRunnerEnded: boolean;
}

export interface RunnerPods {
  /** Lists all pages or fails; never from a cache. */
  list(which: 'stamped' | 'all'): Promise<readonly SeenPod[]>;
  /** Reads the Pod; undefined if it is gone or another Pod has its name. */
  read(pod: PodRef): Promise<SeenPod | undefined>;
  /**
   * Deletes the Pod at the resource version that was seen, then its ServiceAccount. `overtaken`: the Pod was written
   * since, and stays.
   */
  remove(pod: SeenPod): Promise<'deleted' | 'overtaken' | 'gone'>;
}
