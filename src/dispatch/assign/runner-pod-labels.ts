/** Port to runner Pods: the state that a poll needs, and the stamp that says for which account the Pod was claimed. */
import type { Account, PodRef } from '../store/rows.ts';

export interface RunnerPod extends PodRef {
  readonly resourceVersion: string;
  /** The account of the claimed job, from the owner label; undefined on a free Pod. */
  readonly owner: string | undefined;
  /** The claim of the stamp. */
  readonly stampedFor: string | undefined;
  /** The Pod may have received a registration. */
  readonly isServed: boolean;
  readonly image: string;
  /** An operator drains the Pod. */
  readonly isDrained: boolean;
  /** The Pod has an old image and may be replaced now. */
  readonly isDrainEligible: boolean;
}

export interface RunnerPodLabels {
  /** Undefined if the Pod is gone or being deleted, or another Pod has its name. */
  read(pod: PodRef): Promise<RunnerPod | undefined>;
  /**
   * Stamps the Pod, over the stamp that was read or none. `overtaken`: another stamp was written since. `gone`: the Pod
   * is gone or being deleted, or another Pod has its name. Idempotent, so it may be repeated after a lost answer.
   */
  stamp(pod: RunnerPod, stamp: Stamp): Promise<Stamped>;
  /**
   * Marks the Pod as about to receive a registration for the claim of its stamp. The mark stays for good, unless the
   * stamp is removed because nothing was handed out. Idempotent, so it may be repeated after a lost answer.
   */
  markServed(pod: PodRef, generation: string): Promise<Stamped>;
  /** Removes the stamp of that claim, and no newer one. A Pod that is gone needs nothing. */
  unstamp(pod: PodRef, generation: string): Promise<void>;
}

export type Stamped = 'stamped' | 'gone' | 'overtaken';

export interface Stamp {
  readonly owner: Account;
  /** The claim that the stamp is for. */
  readonly generation: string;
}
