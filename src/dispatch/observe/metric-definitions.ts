/**
 * What dispatch measures of jobs, of polls, of repairs and of the size of pools, under the names that dashboards of existing fleets have.
 * Times are in milliseconds, as those names say. Never by account: those are without number.
 */
import type { CounterMetric, GaugeMetric, HistogramMetric, Metric } from '../../platform/metrics.ts';

/** How long something waits: from a look at the database to a pool that is full. */
const shortBuckets = [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000, 300_000];
/** How long a job takes: from seconds to the six hours after which GitHub ends it. */
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

/** Each is counted once, by the replica whose write in the database it was. */
export const jobMetrics = {
  enqueued: jobs('enqueued', 'Jobs that began to wait for a Pod.'),
  claims: jobs('claim', 'Pods that were reserved for a job.'),
  running: jobs('running', 'Registrations that were handed out for a job.'),
  requeued: jobs('requeued', 'Jobs that wait again after a Pod was reserved or a registration handed out.'),
  completed: {
    type: 'counter',
    name: 'tuist_runners_job_completed_count',
    help: 'Jobs that ended, by the conclusion of GitHub; stale: given up. What is none of the usual ones is other.',
    labels: ['fleet', 'conclusion'],
  },
  queueTime: time('queue', 'From when GitHub made a job to the reservation of a Pod, at each.', shortBuckets),
  queueToRunningTime: time(
    'queue_to_running',
    'From when GitHub made a job to its registration, at each.',
    shortBuckets,
  ),
  claimToRunningTime: time(
    'claim_to_running',
    'From the reservation of a Pod to its registration.',
    shortBuckets,
  ),
  runTime: time('run', 'From the beginning of a job to its end, by the word of GitHub.', longBuckets),
  totalTime: time('total', 'From when GitHub made a job to its end, begun or not.', longBuckets),
  polls: {
    type: 'counter',
    name: 'tuist_runners_dispatch_request_count',
    help: 'Polls of runner Pods by their pool and how they ended: served, nothing, drain, gone, unauthorized, failed.',
    labels: ['fleet', 'outcome'],
  },
  pollTime: {
    type: 'histogram',
    name: 'tuist_runners_dispatch_request_duration_milliseconds',
    help: 'How long a poll of a runner Pod took; one that is answered with nothing waits on purpose.',
    labels: ['fleet', 'outcome'],
    buckets: pollBuckets,
  },
  strandedTime: {
    type: 'histogram',
    name: 'tuist_runners_recovery_stranded_time_milliseconds',
    help: 'How long something had been wrong when the recovery set it right, by its kind; only where that is known.',
    labels: ['kind'],
    buckets: longBuckets,
  },
  desired: replicas('desired', 'Pods that are asked for. A pool that is gone is not shown.'),
  observed: replicas('observed', 'Pods alive when the manager last looked.'),
  max: replicas(
    'max',
    'Pods that a pool may grow to; where it does not follow demand, those that are asked for.',
  ),
} as const satisfies Readonly<Record<string, Metric>>;

/** Of dispatch, under the names that dashboards of existing fleets have. Never by account: those are without number. */
export const dispatchMetrics = {
  webhooks: {
    type: 'counter',
    name: 'tuist_runners_webhook_count',
    help: 'Webhooks by their action and what became of them.',
    labels: ['action', 'outcome'],
  },
  recovered: {
    type: 'counter',
    name: 'tuist_runners_recovery_count',
    help: 'What recovery has set right, by its kind.',
    labels: ['kind'],
  },
  recoveryFailures: {
    type: 'counter',
    name: 'muster_recovery_failures_total',
    help: 'Turns of a worker of the recovery that failed on this replica; the next turn tries again.',
    labels: ['worker'],
  },
  recoveryAge: {
    type: 'gauge',
    name: 'muster_recovery_last_good_seconds',
    help: 'How long ago the last turn of a worker of the recovery began that went well, on any replica; since this replica started, where none ever did.',
    labels: ['worker'],
  },
  stayingPods: {
    type: 'gauge',
    name: 'muster_stamped_pods_staying',
    help: 'Stamped Pods that nobody speaks for, or about which GitHub cannot be asked, and that stay all the same, by why. Shown by the replica that looked last.',
    labels: ['reason'],
  },
  recoveryPeriod: {
    type: 'gauge',
    name: 'muster_recovery_period_seconds',
    help: 'How often a worker of the recovery should have a turn, also one that is paused.',
    labels: ['worker'],
  },
  queue: {
    type: 'gauge',
    name: 'tuist_runners_queue_length',
    help: 'Queued jobs that the budgets of their accounts have room for. A pool without any is shown with 0.',
    labels: ['fleet'],
  },
  withheld: {
    type: 'gauge',
    name: 'tuist_runners_queue_withheld',
    help: 'Queued jobs that the budgets of their accounts have no room for.',
    labels: ['fleet'],
  },
  oldest: {
    type: 'gauge',
    name: 'tuist_runners_queue_oldest_age_seconds',
    help: 'How long the oldest queued job has waited; 0 without any.',
    labels: ['fleet'],
  },
  claims: {
    type: 'gauge',
    name: 'tuist_runners_claims_count',
    help: 'Pods with a claim, by how far it is.',
    labels: ['fleet', 'lifecycle_state'],
  },
  withoutPool: {
    type: 'gauge',
    name: 'muster_queue_without_pool',
    help: 'Queued jobs whose pool is gone or being deleted, so that nobody will run them until it is back; 0 for a pool that is there.',
    labels: ['fleet'],
  },
  lookAge: {
    type: 'gauge',
    name: 'muster_dispatch_queue_look_age_seconds',
    help: 'How long ago this replica last saw the queue, which it looks at twice a minute. While it grows, the other gauges of the queue stand still.',
    labels: [],
  },
  clamped: {
    type: 'gauge',
    name: 'tuist_runners_session_clamped_count',
    help: 'Open sessions that are older than 6 hours, which no longer count in the busy minutes that the autoscaler goes by.',
    labels: ['fleet'],
  },
  waiting: {
    type: 'gauge',
    name: 'muster_dispatch_waiting_pods',
    help: 'Runner Pods that wait for a job on this replica.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;
