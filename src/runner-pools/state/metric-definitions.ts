/** The metrics of runner pools and of the autoscaler, most under the names that dashboards of existing fleets have. */
import type { GaugeMetric, Metric } from '../../platform/metrics.ts';

function ofPool(name: string, help: string): GaugeMetric<'pool'> {
  return { type: 'gauge', name, help, labels: ['pool'] };
}

const nodesBy = ['fleet_selector', 'operating_system'] as const;

/** All of them on the replica that leads; a pool that is gone is not shown any more. */
export const poolMetrics = {
  rolling: ofPool(
    'tuist_runners_pool_rolling_pods',
    'Pods on their way to a new template: chosen and not gone, gone and not replaced, or new and not ready. 0 without a roll.',
  ),
  stale: ofPool('tuist_runners_pool_stale_pods', 'Pods alive with an old image or runtime class.'),
  rollCap: ofPool(
    'tuist_runners_pool_roll_concurrency_cap',
    'How many Pods may be on their way to a new template at once.',
  ),
  rollStalled: ofPool(
    'muster_pool_roll_stalled_seconds',
    'How long no Pod of an old template has gone although some are left; 0 without a roll. Counts from when this replica leads.',
  ),
  idle: ofPool('tuist_runners_pool_idle_replicas', 'Pods that are ready for a job.'),
  provisioning: ofPool(
    'tuist_runners_pool_pending_provisioning_pods',
    'Pods on Linux that do not ask for a job yet. 0 on macOS.',
  ),
  oldestPending: ofPool(
    'tuist_runners_pool_oldest_pending_pod_age_seconds',
    'How long the oldest Pod on macOS has waited to be started; 0 without any. Absent for Linux.',
  ),
  phases: {
    type: 'gauge',
    name: 'tuist_runners_pool_phase_replicas',
    help: 'Pods alive by their phase. On Linux a Pod that waits for a job is Pending.',
    labels: ['pool', 'phase'],
  },
  blocked: {
    type: 'counter',
    name: 'tuist_runners_pool_admission_blocked_total',
    help: 'Visits that made no Pod because its fleet takes none: no_healthy_node, fleet_cap, fleet_view_error.',
    labels: ['pool', 'reason'],
  },
  timeouts: {
    type: 'counter',
    name: 'tuist_runners_pool_pod_start_timeouts_total',
    help: 'Pods that were removed because they did not start in time: poller_not_started, unschedulable.',
    labels: ['pool', 'reason'],
  },
  readyNodes: {
    type: 'gauge',
    name: 'tuist_runners_fleet_ready_nodes',
    help: 'Nodes that take Pods of pools with this selector.',
    labels: nodesBy,
  },
  filteredNodes: {
    type: 'gauge',
    name: 'tuist_runners_fleet_filtered_nodes',
    help: 'Nodes with this selector that take none, by why.',
    labels: [...nodesBy, 'reason'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** Only of pools that follow demand. */
export const autoscaleMetrics = {
  target: ofPool('tuist_runners_autoscaler_target_replicas', 'Pods that the pool needs by itself.'),
  allocated: ofPool('tuist_runners_autoscaler_allocated_replicas', 'Its share of the room of its fleet.'),
  deficit: ofPool(
    'tuist_runners_autoscaler_warm_deficit_replicas',
    'Idle Pods that it should have and that its fleet has no room for.',
  ),
  floor: ofPool(
    'tuist_runners_autoscaler_min_warm_floor_replicas',
    'Idle Pods that it should have, by its windows.',
  ),
  claimed: ofPool('tuist_runners_autoscaler_claimed_jobs', 'Pods with a claim, as dispatch says.'),
  occupied: ofPool('tuist_runners_autoscaler_occupied_runners', 'Pods in use, as dispatch says.'),
  queued: ofPool('tuist_runners_autoscaler_queued_jobs', 'Jobs that wait for a Pod, as dispatch says.'),
} as const;
