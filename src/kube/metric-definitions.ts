/** The metrics of the Kubernetes client, the informers, the work queues, the lease and the reconcilers. */
import type { Metric } from '../platform/metrics.ts';

const visitBuckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300];
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const informerMetrics = {
  age: {
    type: 'gauge',
    name: 'muster_informer_cache_age_seconds',
    help: 'Time since the server last sent anything; decisions use the state of that time.',
    labels: ['informer'],
  },
  objects: {
    type: 'gauge',
    name: 'muster_informer_cache_objects',
    help: 'Objects in the cache.',
    labels: ['informer'],
  },
  relists: {
    type: 'counter',
    name: 'muster_informer_relists_total',
    help: 'Comparisons of the cache with a complete list, including the first.',
    labels: ['informer'],
  },
  restarts: {
    type: 'counter',
    name: 'muster_informer_watch_restarts_total',
    help: 'Restarts of the watch by reason; Ended when the server closed the watch in order.',
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
    help: 'Waiting time of the first key.',
    labels: ['queue'],
  },
  visits: {
    type: 'counter',
    name: 'muster_queue_visits_total',
    help: 'Reconciles by result: done, now, backoff, later; fault for an unexpected error.',
    labels: ['queue', 'result'],
  },
  seconds: {
    type: 'histogram',
    name: 'muster_queue_visit_seconds',
    help: 'Duration of a reconcile.',
    labels: ['queue'],
    buckets: visitBuckets,
  },
  retries: {
    type: 'counter',
    name: 'muster_queue_retries_total',
    help: 'Reconciles repeated after a failure.',
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
    help: 'Requests to the Kubernetes API by status code; none without an answer.',
    labels: ['verb', 'resource', 'code'],
  },
  seconds: {
    type: 'histogram',
    name: 'muster_kube_request_seconds',
    help: 'Time to the answer; for a watch, until the server accepted it.',
    labels: ['verb'],
    buckets: requestBuckets,
  },
  throttled: {
    type: 'counter',
    name: 'muster_kube_throttled_seconds_total',
    help: 'Total time that requests waited for the rate limit of the client.',
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
    help: 'Actions by outcome: requested, precondition-lost, no-op, skipped, failed.',
    labels: ['controller', 'action', 'outcome'],
  },
  failures: {
    type: 'counter',
    name: 'muster_controller_failures_total',
    help: 'Failures by step of the reconcile and by kind.',
    labels: ['controller', 'during', 'kind'],
  },
} as const satisfies Readonly<Record<string, Metric>>;
