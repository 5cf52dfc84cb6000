/** Ports of the runner Pod controllers: reports of ended Pods, and logs. */
import type { Pod } from '../../kube/client/builtin-resources.ts';

export interface StoppedReport {
  readonly podName: string;
  readonly podUid: string;
  readonly endedAt: number;
  readonly exitCode?: number;
  readonly reason?: string;
  /** Only after an abnormal end. */
  readonly logTail?: string;
}

export interface StoppedReports {
  /** Rejects with a `FleetError`; `rejected` if a retry cannot succeed. */
  stopped(report: StoppedReport): Promise<void>;
}

export interface PodLogs {
  /** Returns the last lines of a container; rejects with a `FleetError` if the log cannot be read. */
  tail(place: { readonly namespace: string; readonly name: string }, container: string): Promise<string>;
}

/** Why a Pod is removed. */
export type RetireReason =
  | 'ended'
  | 'node-drain'
  | 'start-timeout'
  | 'unschedulable'
  | 'old-template'
  | 'surplus'
  | 'pool-deleted';

/** Called before the removal: after it, no other record says who removed the Pod and why. */
export type Removing = (pod: Pod, why: RetireReason | 'pool-gone') => void;
