/** Every metric of the product. The reference page is generated from this list. */
import { dispatchMetrics, jobMetrics } from '../../src/dispatch/observe/metric-definitions.ts';
import { fleetMetrics, providerMetrics } from '../../src/hosts/state/metric-definitions.ts';
import {
  controllerMetrics,
  informerMetrics,
  kubeMetrics,
  leaseMetrics,
  queueMetrics,
} from '../../src/kube/metric-definitions.ts';
import type { Metric } from '../../src/platform/metrics.ts';
import { autoscaleMetrics, poolMetrics } from '../../src/runner-pools/state/metric-definitions.ts';

export const metricCatalogue: readonly Metric[] = [
  informerMetrics,
  queueMetrics,
  leaseMetrics,
  kubeMetrics,
  controllerMetrics,
  fleetMetrics,
  poolMetrics,
  autoscaleMetrics,
  dispatchMetrics,
  jobMetrics,
  providerMetrics,
].flatMap((group): readonly Metric[] => Object.values(group));
