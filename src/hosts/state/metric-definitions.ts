/** What is measured of hosts and of the machines that have them. */
import type { Metric } from '../../platform/metrics.ts';

export const fleetMetrics = {
  stranded: {
    type: 'gauge',
    name: 'scaleway_orphan_servers',
    help: 'Hosts that nobody answers for, as of the last look.',
    labels: [],
  },
  reclaimed: {
    type: 'counter',
    name: 'scaleway_orphan_servers_reclaimed_total',
    help: 'Stranded hosts whose wipe and return was ordered.',
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
    help: 'Hosts that several machines have (SharedHost), machines that several hosts are kept for (SpareHost), and hosts that are kept for machines which may not have them (StandOff), as of the last look.',
    labels: ['kind'],
  },
  invariants: {
    type: 'gauge',
    name: 'muster_invariant_violations',
    help: 'What `muster audit` finds, by invariant; 0 for one that holds. On the replica that leads.',
    labels: ['inv'],
  },
  oldestStranded: {
    type: 'gauge',
    name: 'muster_stranded_oldest_seconds',
    help: 'How long the host that is stranded longest has been so; 0 when none is. On the replica that leads.',
    labels: [],
  },
  oldestWipe: {
    type: 'gauge',
    name: 'muster_wipe_oldest_seconds',
    help: 'How long the host that is being given up longest has been in its step of that; 0 when none is. On the replica that leads.',
    labels: [],
  },
  oldestTermination: {
    type: 'gauge',
    name: 'muster_terminate_oldest_seconds',
    help: 'How long the end of a rent has been wanted that the provider has not taken up, the longest; 0 when there is none. On the replica that leads.',
    labels: [],
  },
  oldestBusy: {
    type: 'gauge',
    name: 'muster_host_busy_oldest_seconds',
    help: 'How long a host that is free or in use has been seen neither ready nor wiped nor faulty, the longest; counts from when this replica leads, where it leads.',
    labels: [],
  },
  waiting: {
    type: 'gauge',
    name: 'muster_machines_waiting',
    help: 'Machines that wait for a host, by the reason they give. On the replica that leads.',
    labels: ['reason'],
  },
  machinePhase: {
    type: 'gauge',
    name: 'capt_scaleway_applesilicon_machine_phase',
    help: '1 for each machine, with the phase it is in, Pending when it has none yet. On the replica that leads.',
    labels: ['machine', 'fleet', 'phase', 'failure_reason'],
  },
  inventoryAge: {
    type: 'gauge',
    name: 'muster_inventory_age_seconds',
    help: 'Time since the servers of the zone were last listed completely, or since it leads if they never were. On the replica that leads.',
    labels: ['zone'],
  },
  euros: {
    type: 'gauge',
    name: 'muster_host_euros_per_day',
    help: 'What hosts cost a day, by the prices of `--host-price-per-day`: those in the pool (idle), those that nobody answers for (stranded), and all (total). Absent without prices. On the replica that leads.',
    labels: ['use'],
  },
  unpriced: {
    type: 'gauge',
    name: 'muster_hosts_without_price',
    help: 'Hosts that are missing in the costs, by their type of server: no price was given for it. On the replica that leads.',
    labels: ['type'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

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
