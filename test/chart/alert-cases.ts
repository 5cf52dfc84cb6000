/** Series for each alert: some under which it fires, and some under which it is only almost so. */
import type { AlertCase } from './alert-case.ts';
import { runnerCases } from './runner-alert-cases.ts';

const failed =
  'capt_scaleway_applesilicon_machine_phase{machine="a",fleet="f",phase="Failed",failure_reason="R"}';
const calls = (result: string, replica = 'a'): string =>
  `muster_provider_calls_total{verb="list",result="${result}",pod="${replica}"}`;

export const alertCases: readonly AlertCase[] = [
  {
    alert: 'MusterNoLeader',
    what: 'no replica holds the lease',
    series: { 'muster_leader{pod="a"}': '0x20', 'muster_leader{pod="b"}': '1x4 0x15' },
    at: '11m',
    fires: [{}],
  },
  { alert: 'MusterNoLeader', what: 'no replica is there', series: {}, at: '6m', fires: [{}] },
  {
    alert: 'MusterNoLeader',
    what: 'for four minutes only, until another replica takes over',
    series: { 'muster_leader{pod="a"}': '1x5 0x20', 'muster_leader{pod="b"}': '0x9 1x20' },
    at: '9m',
    fires: [],
  },
  {
    alert: 'MusterInvariantViolated',
    what: 'one invariant does not hold for ten minutes',
    series: {
      'muster_invariant_violations{inv="S1",pod="a"}': '2x20',
      'muster_invariant_violations{inv="S2",pod="a"}': '0x20',
    },
    at: '11m',
    fires: [{ inv: 'S1' }],
  },
  {
    alert: 'MusterInvariantViolated',
    what: 'for eight minutes only',
    series: { 'muster_invariant_violations{inv="S1",pod="a"}': '1x8 0x20' },
    at: '8m',
    fires: [],
  },
  {
    alert: 'MusterInvariantViolated',
    what: 'another alert tells of S21',
    series: { 'muster_invariant_violations{inv="S21",pod="a"}': '1x20' },
    at: '11m',
    fires: [],
  },
  {
    alert: 'MusterOrderUnderLiveMachine',
    what: 'an order stands against live machines for five minutes',
    series: {
      'muster_invariant_violations{inv="S21",pod="a"}': '2x20',
      'muster_invariant_violations{inv="S21",pod="b"}': '0x20',
    },
    at: '6m',
    fires: [{}],
  },
  {
    alert: 'MusterOrderUnderLiveMachine',
    what: 'each order is dropped before five minutes are over',
    series: { 'muster_invariant_violations{inv="S21",pod="a"}': '1x4 0 1x4 0 1x4 0x10' },
    at: '14m',
    fires: [],
  },
  {
    alert: 'MusterOrderUnderLiveMachine',
    what: 'another invariant does not hold',
    series: {
      'muster_invariant_violations{inv="S1",pod="a"}': '2x20',
      'muster_invariant_violations{inv="S21",pod="a"}': '0x20',
    },
    at: '11m',
    fires: [],
  },
  {
    alert: 'MusterInventoryStale',
    what: 'one zone is not listed any more',
    series: {
      'muster_inventory_age_seconds{zone="fr-par-1",pod="a"}': '0+60x30',
      'muster_inventory_age_seconds{zone="fr-par-3",pod="a"}': '30x30',
    },
    at: '17m',
    fires: [{ zone: 'fr-par-1' }],
  },
  {
    alert: 'MusterInventoryStale',
    what: 'it is listed again within ten minutes, each time',
    series: { 'muster_inventory_age_seconds{zone="fr-par-1",pod="a"}': '0+60x10 0+60x10 0+60x10' },
    at: '25m',
    fires: [],
  },
  {
    alert: 'MusterProviderErrors',
    what: 'two of three calls fail, on two replicas together',
    series: {
      [calls('ok')]: '0+1x60',
      [calls('Unreachable')]: '0+1x60',
      [calls('RateLimited', 'b')]: '0+1x60',
    },
    at: '45m',
    fires: [{ verb: 'list' }],
  },
  {
    alert: 'MusterProviderErrors',
    what: 'one of three fails',
    series: { [calls('ok')]: '0+2x60', [calls('Unreachable')]: '0+1x60' },
    at: '45m',
    fires: [],
  },
  {
    alert: 'MusterProviderErrors',
    what: 'the provider answers what is no error, such as that a server is gone',
    series: { [calls('ok')]: '0+1x60', [calls('NotFound')]: '0+9x60', [calls('BillingFloor')]: '0+9x60' },
    at: '45m',
    fires: [],
  },
  {
    alert: 'MusterHostStranded',
    what: 'nobody answers for a host for more than four hours',
    series: { 'scaleway_orphan_servers{pod="a"}': '1x300', 'scaleway_orphan_servers{pod="b"}': '0x300' },
    at: '4h1m',
    fires: [{}],
  },
  {
    alert: 'MusterHostStranded',
    what: 'it was taken back after three hours',
    series: { 'scaleway_orphan_servers{pod="a"}': '1x180 0x120' },
    at: '4h1m',
    fires: [],
  },
  {
    alert: 'MusterWipeStuck',
    what: 'a wipe goes on for more than an hour',
    series: { 'muster_wipe_oldest_seconds{pod="a"}': '3300+60x30' },
    at: '12m',
    fires: [{}],
  },
  {
    alert: 'MusterWipeStuck',
    what: 'one wipe after the other, each of half an hour',
    series: { 'muster_wipe_oldest_seconds{pod="a"}': '0+60x30 0+60x30 0+60x30' },
    at: '85m',
    fires: [],
  },
  {
    alert: 'MusterTerminateStuck',
    what: 'the provider refuses to end a rent for more than two hours',
    series: { 'muster_terminate_oldest_seconds{pod="a"}': '6900+60x30' },
    at: '12m',
    fires: [{}],
  },
  {
    alert: 'MusterTerminateStuck',
    what: 'the provider takes the end of a rent up after an hour and a half, and is only waited for then',
    series: { 'muster_terminate_oldest_seconds{pod="a"}': '0+60x90 0x300' },
    at: '5h',
    fires: [],
  },
  {
    alert: 'MusterHostBroken',
    what: 'two hosts are broken for more than an hour',
    series: {
      'muster_hosts{state="Broken",pod="a"}': '2x90',
      'muster_hosts{state="Broken",pod="b"}': '2x90',
      'muster_hosts{state="Owned",pod="a"}': '7x90',
    },
    at: '61m',
    fires: [{}],
  },
  {
    alert: 'MusterHostBroken',
    what: 'a broken host comes back within an hour, and others are only in use',
    series: {
      'muster_hosts{state="Broken",pod="a"}': '1x50 0x40',
      'muster_hosts{state="Owned",pod="a"}': '7x90',
    },
    at: '80m',
    fires: [],
  },
  {
    alert: 'MusterHostBusy',
    what: 'a host is not ready for more than an hour',
    series: { 'muster_host_busy_oldest_seconds{pod="a"}': '3300+60x30' },
    at: '12m',
    fires: [{}],
  },
  {
    alert: 'MusterHostBusy',
    what: 'it is ready again after an hour',
    series: { 'muster_host_busy_oldest_seconds{pod="a"}': '3300+60x6 0x30' },
    at: '12m',
    fires: [],
  },
  {
    alert: 'MusterNoAvailableHost',
    what: 'machines find no host for half an hour',
    series: { 'muster_machines_waiting{reason="NoAvailableHost",pod="a"}': '3x60' },
    at: '31m',
    fires: [{}],
  },
  {
    alert: 'MusterNoAvailableHost',
    what: 'for twenty-five minutes only',
    series: { 'muster_machines_waiting{reason="NoAvailableHost",pod="a"}': '3x60' },
    at: '25m',
    fires: [],
  },
  {
    alert: 'MusterNoAvailableHost',
    what: 'machines wait for another reason',
    series: {
      'muster_machines_waiting{reason="NoAvailableHost",pod="a"}': '3x20 0x60',
      'muster_machines_waiting{reason="Adopting",pod="a"}': '3x60',
    },
    at: '45m',
    fires: [],
  },
  {
    alert: 'MusterMachineFailed',
    what: 'a machine is in the phase Failed for half an hour',
    series: { [failed]: '1x60' },
    at: '31m',
    fires: [{ machine: 'a', fleet: 'f', failure_reason: 'R' }],
  },
  {
    alert: 'MusterMachineFailed',
    what: 'a machine is in another phase',
    series: { [failed.replace('Failed', 'Ready')]: '1x60' },
    at: '45m',
    fires: [],
  },
  {
    alert: 'MusterMachineFailed',
    what: 'for twenty minutes only',
    series: { [failed]: '1x20 _x60' },
    at: '20m',
    fires: [],
  },
  ...runnerCases,
];
