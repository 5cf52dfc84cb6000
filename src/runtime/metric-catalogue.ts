/** Every metric: its name, what it says and its labels. The reference page is written from this list. */
import { fleetMetrics } from './fleet-metric-catalogue.ts';
import { jobMetrics } from './job-metric-catalogue.ts';
import type { Metric } from './metrics.ts';
import { autoscaleMetrics, poolMetrics } from './pool-metric-catalogue.ts';

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

export const providerMetrics = {
  calls: {
    type: 'counter',
    name: 'muster_provider_calls_total',
    help: 'Calls to the provider by what came of them: ok, the reason of the failure, or fault when it was one of our own.',
    labels: ['verb', 'result'],
  },
  seconds: {
    type: 'histogram',
    name: 'muster_provider_call_seconds',
    help: 'How long a call to the provider took, all its pages together.',
    labels: ['verb'],
    buckets: requestBuckets,
  },
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
