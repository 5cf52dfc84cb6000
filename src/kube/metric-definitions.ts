/** The metrics of the Kubernetes client, the informers, the work queues, the lease and the reconcilers. */
import type { Metric } from '../platform/metrics.ts';

const visitBuckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300];
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const informerMetrics = {
  age: {
    type: 'gauge',
    name: 'muster_informer_cache_age_seconds',
    help: 'How long ago the server last said anything; decisions are made from what was known then.',
    labels: ['informer'],
  },
  objects: {
    type: 'gauge',
    name: 'muster_informer_cache_objects',
    help: 'Objects in the copy.',
    labels: ['informer'],
  },
  relists: {
    type: 'counter',
    name: 'muster_informer_relists_total',
    help: 'Times the copy was compared with a complete state, the first one included.',
    labels: ['informer'],
  },
  restarts: {
    type: 'counter',
    name: 'muster_informer_watch_restarts_total',
    help: 'Times the server was followed anew, and why: Ended when it closed the watch in good order.',
    labels: ['informer', 'reason'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export const queueMetrics = {
  depth: {
    type: 'gauge',
    name: 'muster_queue_depth',
    help: 'Keys that are due and wait for a worker.',
    labels: ['queue'],
  },
  oldest: {
    type: 'gauge',
    name: 'muster_queue_oldest_waiting_seconds',
    help: 'How long the first of them has been waiting.',
    labels: ['queue'],
  },
  visits: {
    type: 'counter',
    name: 'muster_queue_visits_total',
    help: 'Visits by what they asked for next: done, now, backoff, later; fault when the visit threw.',
    labels: ['queue', 'result'],
  },
  seconds: {
    type: 'histogram',
    name: 'muster_queue_visit_seconds',
    help: 'How long a visit took.',
    labels: ['queue'],
    buckets: visitBuckets,
  },
  retries: {
    type: 'counter',
    name: 'muster_queue_retries_total',
    help: 'Visits that are repeated because the one before failed.',
    labels: ['queue'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export const leaseMetrics = {
  leader: {
    type: 'gauge',
    name: 'muster_leader',
    help: '1 while this replica holds the lease, else 0.',
    labels: ['lease'],
  },
  renewFailures: {
    type: 'counter',
    name: 'muster_lease_renew_failures_total',
    help: 'Renewals by the holder that failed.',
    labels: ['lease'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export const kubeMetrics = {
  requests: {
    type: 'counter',
    name: 'muster_kube_requests_total',
    help: 'Requests to the Kubernetes API by the status of the answer; none when there was no answer.',
    labels: ['verb', 'resource', 'code'],
  },
  seconds: {
    type: 'histogram',
    name: 'muster_kube_request_seconds',
    help: 'Time to the answer; of a watch, until it was accepted.',
    labels: ['verb'],
    buckets: requestBuckets,
  },
  throttled: {
    type: 'counter',
    name: 'muster_kube_throttled_seconds_total',
    help: 'Time that requests waited for our own limit, all together.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export const controllerMetrics = {
  plans: {
    type: 'counter',
    name: 'muster_controller_plans_total',
    help: 'Plans that were made.',
    labels: ['controller'],
  },
  actions: {
    type: 'counter',
    name: 'muster_controller_actions_total',
    help: 'Actions by what they came to: asked, overtaken, unneeded, withheld, failed.',
    labels: ['controller', 'action', 'outcome'],
  },
  failures: {
    type: 'counter',
    name: 'muster_controller_failures_total',
    help: 'Failures by the step of the visit and by kind.',
    labels: ['controller', 'during', 'kind'],
  },
} as const satisfies Readonly<Record<string, Metric>>;
