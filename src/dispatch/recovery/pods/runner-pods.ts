/** The port to runner Pods for the recovery: all of them as they are now, and the careful end of one. */
import type { PodRef } from '../../store/rows.ts';

/** What the recovery must know of a Pod. */
export interface SeenPod extends PodRef {
  readonly resourceVersion: string;
  /** Empty where no label says it. */
  readonly pool: string;
  /** Somebody's job was claimed for it, as the label of its owner says or that of the account. The manager takes it for busy. */
  readonly isStamped: boolean;
  /** When dispatch stamped it, as its annotation says. Undefined where that cannot be read, as of a stamp of an older tool. */
  readonly stampedAt: number | undefined;
  /** Dispatch stamped it, as its annotation says; an older tool writes the labels alone, and never that it was served. */
  readonly hasOurStamp: boolean;
  /** It may have been handed a registration, as it says itself. */
  readonly isServed: boolean;
  /** Whose job that is, by the id at GitHub; undefined where no label says it. */
  readonly accountId: string | undefined;
  readonly isTerminating: boolean;
  /** It has ended, one way or the other; whoever made it cleans it away. */
  readonly isTerminal: boolean;
  /** A runner was started in it, or is about to be. Never true of a Mac, whose one container runs from the beginning. */
  readonly isRunnerLive: boolean;
  /** The container of its runner has ended, which is the virtual machine on a Mac. */
  readonly hasRunnerEnded: boolean;
}

export interface RunnerPods {
  /** All or nothing: a list that could not be read to its end is a failure. Never from a cache. */
  list(which: 'stamped' | 'all'): Promise<readonly SeenPod[]>;
  /** As it is now; undefined where it is gone or another Pod has its name. */
  read(pod: PodRef): Promise<SeenPod | undefined>;
  /**
   * Deletes the Pod as it was seen, and then the ServiceAccount that goes with it. `overtaken`: somebody wrote to the Pod
   * since, and it lives.
   */
  remove(pod: SeenPod): Promise<'deleted' | 'overtaken' | 'gone'>;
}
