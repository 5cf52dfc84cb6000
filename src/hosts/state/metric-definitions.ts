/** Metrics of hosts and of the machines that have them. */
import type { Metric } from '../../platform/metrics.ts';

export const fleetMetrics = {
  stranded: {
    type: 'gauge',
    name: 'scaleway_orphan_servers',
    help: 'Stranded hosts: used, but without an owner, as of the last pass.',
    labels: [],
  },
  reclaimed: {
    type: 'counter',
    name: 'scaleway_orphan_servers_reclaimed_total',
    help: 'Stranded hosts whose wipe and return to the pool was ordered.',
    labels: [],
  },
  hosts: {
    type: 'gauge',
    name: 'muster_hosts',
    help: 'Hosts by their state.',
    labels: ['state'],
  },
  duplicates: {
    type: 'gauge',
    name: 'muster_duplicates',
    help: 'Hosts with several machines (SharedHost), machines with several hosts (SpareHost), and hosts reserved for machines that may not claim them (StandOff), as of the last pass.',
    labels: ['kind'],
  },
  invariants: {
    type: 'gauge',
    name: 'muster_invariant_violations',
    help: 'Findings of `muster audit` by invariant; 0 when the invariant holds. Leader only.',
    labels: ['inv'],
  },
  oldestStranded: {
    type: 'gauge',
    name: 'muster_stranded_oldest_seconds',
    help: 'Age of the oldest stranded host; 0 without one. Leader only.',
    labels: [],
  },
  oldestWipe: {
    type: 'gauge',
    name: 'muster_wipe_oldest_seconds',
    help: 'Longest time that a host being released has been in its current step; 0 without one. Leader only.',
    labels: [],
  },
  oldestTermination: {
    type: 'gauge',
    name: 'muster_terminate_oldest_seconds',
    help: 'Age of the oldest order to end a rent that the provider has not acted on; 0 without one. Leader only.',
    labels: [],
  },
  oldestBusy: {
    type: 'gauge',
    name: 'muster_host_busy_oldest_seconds',
    help: 'Longest time that a free or owned host was neither ready nor wiped nor faulty; counted from the start of leadership. Leader only.',
    labels: [],
  },
  waiting: {
    type: 'gauge',
    name: 'muster_machines_waiting',
    help: 'Machines that wait for a host, by reason. Leader only.',
    labels: ['reason'],
  },
  machinePhase: {
    type: 'gauge',
    name: 'capt_scaleway_applesilicon_machine_phase',
    help: '1 for each machine, labeled with its phase (Pending when it has none). Leader only.',
    labels: ['machine', 'fleet', 'phase', 'failure_reason'],
  },
  inventoryAge: {
    type: 'gauge',
    name: 'muster_inventory_age_seconds',
    help: 'Time since the last complete listing of the servers of the zone, or since the start of leadership. Leader only.',
    labels: ['zone'],
  },
  euros: {
    type: 'gauge',
    name: 'muster_host_euros_per_day',
    help: 'Rent of hosts a day from `--host-price-per-day`: pooled (idle), stranded, and all (total). Absent without prices. Leader only.',
    labels: ['use'],
  },
  unpriced: {
    type: 'gauge',
    name: 'muster_hosts_without_price',
    help: 'Hosts missing from the rent because their server type has no price, by type. Leader only.',
    labels: ['type'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const providerMetrics = {
  calls: {
    type: 'counter',
    name: 'muster_provider_calls_total',
    help: 'Calls to the provider by result: ok, the reason of the failure, or fault for an error in Muster.',
    labels: ['verb', 'result'],
  },
  seconds: {
    type: 'histogram',
    name: 'muster_provider_call_seconds',
    help: 'Duration of a call to the provider, including all pages.',
    labels: ['verb'],
    buckets: requestBuckets,
  },
} as const satisfies Readonly<Record<string, Metric>>;
