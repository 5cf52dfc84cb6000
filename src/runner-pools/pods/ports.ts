/** What the controllers of runner Pods need: where the end of a Pod is reported, and where its last log lines are read. */
import type { Pod } from '../../kube/client/builtin-resources.ts';

export interface StoppedReport {
  readonly podName: string;
  readonly podUid: string;
  readonly endedAt: number;
  readonly exitCode?: number;
  readonly reason?: string;
  /** Only of one that did not end well. */
  readonly logTail?: string;
}

export interface StoppedReports {
  /** Rejects with a `FleetError`: `rejected` when it will never be taken. */
  stopped(report: StoppedReport): Promise<void>;
}

export interface PodLogs {
  /** The last lines of a container; rejects with a `FleetError` when they cannot be had. */
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

/** Called before the removal: of a deleted Pod nothing else records who removed it and why. */
export type Removing = (pod: Pod, why: RetireReason | 'pool-gone') => void;
