/**
 * What dispatch measures of jobs, of polls, of repairs and of the size of pools, under the names that dashboards of existing fleets have.
 * Times are in milliseconds, as those names say. Never by account: those are without number.
 */
import type { CounterMetric, GaugeMetric, HistogramMetric, Metric } from './metrics.ts';

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
