/** The ways from the manager to dispatch. */
import type { RunnerSignals } from '../../runner-pools/autoscaler/ports.ts';
import type { PodLogs, StoppedReports } from '../../runner-pools/pods/ports.ts';

/** The ways to dispatch; each may be missing, and what needs it is not done then. */
export interface RunnerPorts {
  readonly signals?: RunnerSignals;
  readonly reports?: StoppedReports;
  readonly logs?: PodLogs;
}
