/** The port to runner Pods: what a poll must know of one, and the stamp that says whose job it was claimed for. */
import type { Account, PodRef } from '../store/rows.ts';

export interface RunnerPod extends PodRef {
  readonly resourceVersion: string;
  /** Whose job it was claimed for, as its label says; undefined on one that is free. */
  readonly owner: string | undefined;
  /** The claim that it was stamped for. */
  readonly stampedFor: string | undefined;
  /** It may have been handed a registration. */
  readonly isServed: boolean;
  readonly image: string;
  /** A person wants it gone. */
  readonly isDrained: boolean;
  /** It has an old image, and it is its turn to be replaced. */
  readonly isDrainEligible: boolean;
}

export interface RunnerPodLabels {
  /** Undefined where it is gone or going, or where another Pod has its name by now. */
  read(pod: PodRef): Promise<RunnerPod | undefined>;
  /**
   * Over the stamp that it had when it was read, or none: `overtaken` where it has another one by now. `gone` also where it is
   * going, or where another Pod has its name by now. May be asked again when the answer was lost.
   */
  stamp(pod: RunnerPod, stamp: Stamp): Promise<Stamped>;
  /**
   * Says on the Pod that it is about to be handed a registration, for the claim that it was stamped for. It stays there for good,
   * unless the stamp is taken off because nothing was handed out. May be asked again when the answer was lost.
   */
  markServed(pod: PodRef, generation: string): Promise<Stamped>;
  /** Takes off what was stamped for that claim, and nothing newer. A Pod that is gone needs nothing. */
  unstamp(pod: PodRef, generation: string): Promise<void>;
}

export type Stamped = 'stamped' | 'gone' | 'overtaken';

export interface Stamp {
  readonly owner: Account;
  /** Of the claim that it is for. */
  readonly generation: string;
}
