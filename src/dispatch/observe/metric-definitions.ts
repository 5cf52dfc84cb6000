/**
 * Metrics of jobs, polls, repairs and pool sizes, under the names of existing dashboards. Times are in milliseconds, as
 * those names say. No metric has an account label: the number of accounts is unbounded.
 */
import type { CounterMetric, GaugeMetric, HistogramMetric, Metric } from '../../platform/metrics.ts';

/** Waiting times: from a database read to a full pool. */
const shortBuckets = [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000, 300_000];
/** Run times: from seconds to six hours, after which GitHub ends a job. */
const longBuckets = [
  1000, 5000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000, 1_800_000, 3_600_000, 7_200_000,
  14_400_000, 21_600_000,
];
/** A poll is answered within ten seconds. */
const pollBuckets = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 7500, 10_000];

function jobs(what: string, help: string): CounterMetric<'fleet'> {
  return { type: 'counter', name: `tuist_runners_job_${what}_count`, help, labels: ['fleet'] };
}

function time(what: string, help: string, buckets: readonly number[]): HistogramMetric<'fleet'> {
  return {
    type: 'histogram',
    name: `tuist_runners_job_${what}_time_milliseconds`,
    help,
    labels: ['fleet'],
    buckets,
  };
}

function replicas(what: string, help: string): GaugeMetric<'fleet'> {
  return { type: 'gauge', name: `tuist_runners_pool_replicas_${what}`, help, labels: ['fleet'] };
}

/** Each event is counted once, by the replica that wrote it to the database. */
export const jobMetrics = {
  enqueued: jobs('enqueued', 'Jobs that were queued.'),
  claims: jobs('claim', 'Claims of Pods for jobs.'),
  running: jobs('running', 'Registrations that were handed out.'),
  requeued: jobs('requeued', 'Jobs that were requeued after a claim or a hand-out.'),
  completed: {
    type: 'counter',
    name: 'tuist_runners_job_completed_count',
    help: 'Jobs that ended, by the conclusion of GitHub; stale: given up; other: an undocumented conclusion.',
    labels: ['fleet', 'conclusion'],
  },
  queueTime: time('queue', 'From the creation of a job to each of its claims.', shortBuckets),
  queueToRunningTime: time(
    'queue_to_running',
    'From the creation of a job to each of its registrations.',
    shortBuckets,
  ),
  claimToRunningTime: time('claim_to_running', 'From the claim of a Pod to its registration.', shortBuckets),
  runTime: time('run', 'From the start of a job to its end, by the times of GitHub.', longBuckets),
  totalTime: time('total', 'From the creation of a job to its end, started or not.', longBuckets),
  polls: {
    type: 'counter',
    name: 'tuist_runners_dispatch_request_count',
    help: 'Polls of runner Pods by pool and outcome: served, nothing, drain, gone, unauthorized, failed.',
    labels: ['fleet', 'outcome'],
  },
  pollTime: {
    type: 'histogram',
    name: 'tuist_runners_dispatch_request_duration_milliseconds',
    help: 'Duration of polls of runner Pods; the outcome nothing includes the waiting time.',
    labels: ['fleet', 'outcome'],
    buckets: pollBuckets,
  },
  strandedTime: {
    type: 'histogram',
    name: 'tuist_runners_recovery_stranded_time_milliseconds',
    help: 'Age of a defect when the recovery repaired it, by kind; only where the age is known.',
    labels: ['kind'],
    buckets: longBuckets,
  },
  desired: replicas('desired', 'Desired Pods. A deleted pool has no series.'),
  observed: replicas('observed', 'Live Pods as last observed by the manager.'),
  max: replicas('max', 'Maximum number of Pods of a pool; the desired Pods of a pool without autoscaling.'),
} as const satisfies Readonly<Record<string, Metric>>;

/**
 * Metrics of dispatch, under the names of existing dashboards. No
 * metric has an account label: the number of accounts is unbounded.
 */
export const dispatchMetrics = {
  webhooks: {
    type: 'counter',
    name: 'tuist_runners_webhook_count',
    help: 'Webhooks by action and outcome.',
    labels: ['action', 'outcome'],
  },
  recovered: {
    type: 'counter',
    name: 'tuist_runners_recovery_count',
    help: 'Repairs of the recovery, by kind.',
    labels: ['kind'],
  },
  recoveryFailures: {
    type: 'counter',
    name: 'muster_recovery_failures_total',
    help: 'Failed runs of a recovery worker on this replica; the next run tries again.',
    labels: ['worker'],
  },
  recoveryAge: {
    type: 'gauge',
    name: 'muster_recovery_last_good_seconds',
    help: 'Age of the last successful run of a recovery worker, on any replica; without one, time since this replica started.',
    labels: ['worker'],
  },
  stayingPods: {
    type: 'gauge',
    name: 'muster_stamped_pods_staying',
    help: 'Orphaned stamped Pods that are not removed, by reason. Exported by the replica that looked last.',
    labels: ['reason'],
  },
  recoveryPeriod: {
    type: 'gauge',
    name: 'muster_recovery_period_seconds',
    help: 'Period of a recovery worker, paused or not.',
    labels: ['worker'],
  },
  queue: {
    type: 'gauge',
    name: 'tuist_runners_queue_length',
    help: 'Queued jobs within the budgets of their accounts; 0 for a pool without such jobs.',
    labels: ['fleet'],
  },
  withheld: {
    type: 'gauge',
    name: 'tuist_runners_queue_withheld',
    help: 'Queued jobs beyond the budgets of their accounts.',
    labels: ['fleet'],
  },
  oldest: {
    type: 'gauge',
    name: 'tuist_runners_queue_oldest_age_seconds',
    help: 'Age of the oldest queued job; 0 without queued jobs.',
    labels: ['fleet'],
  },
  claims: {
    type: 'gauge',
    name: 'tuist_runners_claims_count',
    help: 'Pods with a claim, by the state of the claim.',
    labels: ['fleet', 'lifecycle_state'],
  },
  withoutPool: {
    type: 'gauge',
    name: 'muster_queue_without_pool',
    help: 'Queued jobs whose pool is deleted or being deleted, so that no Pod runs them; 0 for an existing pool.',
    labels: ['fleet'],
  },
  lookAge: {
    type: 'gauge',
    name: 'muster_dispatch_queue_look_age_seconds',
    help: 'Age of the queue gauges of this replica, which are read twice a minute. While it grows, the queue gauges are stale.',
    labels: [],
  },
  clamped: {
    type: 'gauge',
    name: 'tuist_runners_session_clamped_count',
    help: 'Open sessions older than 6 hours, which no longer count as load for the autoscaler.',
    labels: ['fleet'],
  },
  waiting: {
    type: 'gauge',
    name: 'muster_dispatch_waiting_pods',
    help: 'Runner Pods that are waiting for a job on this replica.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;
