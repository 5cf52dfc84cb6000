/** Metrics of runner pools and of the autoscaler, most under the names of existing dashboards. */
import type { GaugeMetric, Metric } from '../../platform/metrics.ts';

function ofPool(name: string, help: string): GaugeMetric<'pool'> {
  return { type: 'gauge', name, help, labels: ['pool'] };
}

const nodesBy = ['fleet_selector', 'operating_system'] as const;

/** Exported by the leader only; a deleted pool has no series. */
export const poolMetrics = {
  rolling: ofPool(
    'tuist_runners_pool_rolling_pods',
    'Pods being replaced: chosen and not gone, gone and not replaced, or new and not ready; 0 without a rollout.',
  ),
  stale: ofPool('tuist_runners_pool_stale_pods', 'Live Pods with an old image or runtime class.'),
  rollCap: ofPool(
    'tuist_runners_pool_roll_concurrency_cap',
    'Maximum number of Pods being replaced at once.',
  ),
  rollStalled: ofPool(
    'muster_pool_roll_stalled_seconds',
    'Time without progress of a rollout, since this replica leads at most; 0 without a rollout.',
  ),
  idle: ofPool('tuist_runners_pool_idle_replicas', 'Idle Pods that are ready for a job.'),
  provisioning: ofPool(
    'tuist_runners_pool_pending_provisioning_pods',
    'Linux Pods that do not poll yet; 0 on macOS.',
  ),
  oldestPending: ofPool(
    'tuist_runners_pool_oldest_pending_pod_age_seconds',
    'Age of the oldest pending Pod on macOS; 0 without one. Absent for Linux.',
  ),
  phases: {
    type: 'gauge',
    name: 'tuist_runners_pool_phase_replicas',
    help: 'Live Pods by phase. On Linux a Pod that waits for a job is Pending.',
    labels: ['pool', 'phase'],
  },
  blocked: {
    type: 'counter',
    name: 'tuist_runners_pool_admission_blocked_total',
    help: 'Passes that created no Pod because the fleet accepts none: no_healthy_node, fleet_cap, fleet_view_error.',
    labels: ['pool', 'reason'],
  },
  timeouts: {
    type: 'counter',
    name: 'tuist_runners_pool_pod_start_timeouts_total',
    help: 'Pods removed because they did not start in time: poller_not_started, unschedulable.',
    labels: ['pool', 'reason'],
  },
  readyNodes: {
    type: 'gauge',
    name: 'tuist_runners_fleet_ready_nodes',
    help: 'Nodes that accept Pods of pools with this selector.',
    labels: nodesBy,
  },
  filteredNodes: {
    type: 'gauge',
    name: 'tuist_runners_fleet_filtered_nodes',
    help: 'Nodes with this selector that accept no Pods, by reason.',
    labels: [...nodesBy, 'reason'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** Exported for autoscaled pools only. */
export const autoscaleMetrics = {
  target: ofPool('tuist_runners_autoscaler_target_replicas', 'Pods that the pool needs by itself.'),
  allocated: ofPool(
    'tuist_runners_autoscaler_allocated_replicas',
    'Pods allocated to the pool from the capacity of its fleet.',
  ),
  deficit: ofPool(
    'tuist_runners_autoscaler_warm_deficit_replicas',
    'Warm Pods that the pool should have and its fleet has no capacity for.',
  ),
  floor: ofPool(
    'tuist_runners_autoscaler_min_warm_floor_replicas',
    'Warm Pods that the pool should have, from its floor and windows.',
  ),
  claimed: ofPool('tuist_runners_autoscaler_claimed_jobs', 'Pods with a claim, as reported by dispatch.'),
  occupied: ofPool('tuist_runners_autoscaler_occupied_runners', 'Pods in use, as reported by dispatch.'),
  queued: ofPool(
    'tuist_runners_autoscaler_queued_jobs',
    'Jobs that wait for a Pod, as reported by dispatch.',
  ),
} as const;
