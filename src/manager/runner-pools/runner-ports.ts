/** Ports from the manager to dispatch. */
import type { RunnerSignals } from '../../runner-pools/autoscaler/ports.ts';
import type { PodLogs, StoppedReports } from '../../runner-pools/pods/ports.ts';

/** Each port is optional; the features that need a missing port are off. */
export interface RunnerPorts {
  readonly signals?: RunnerSignals;
  readonly reports?: StoppedReports;
  readonly logs?: PodLogs;
}
