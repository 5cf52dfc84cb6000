/** Whom the controller of pools tells that a Pod has ended, and where it finds its last words. */
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
