/** The gauges of hosts: the findings of `muster audit`, ages, waits and costs. */
import { describe, expect, it } from 'vitest';
import { ClaimName, MachineUid } from '../api/names/ids.ts';
import type { MacHostObject, MachineObject } from '../hosts/state/objects.ts';
import { PromMetrics } from '../platform/process/prom-metrics.ts';
import { measureFleet, type FleetGauges } from './host-gauges.ts';

const now = Date.UTC(2026, 0, 2);
const time = (secondsAgo: number): string => new Date(now - secondsAgo * 1000).toISOString();

const quiet: FleetGauges = {
  zones: () => ['fr-par-1', 'fr-par-3'],
  hosts: () => [],
  machines: () => [],
  stranded: () => 0,
  duplicates: () => [],
  listedAt: () => undefined,
  leadsSince: () => now - 90_000,
  prices: new Map(),
  now: () => now,
};

async function shown(gauges: Partial<FleetGauges>, name: string): Promise<readonly string[]> {
  const metrics = new PromMetrics();
  measureFleet(metrics, { ...quiet, ...gauges });
  const lines = (await metrics.text()).split('\n');
  return lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length));
}

const metadataOf = (name: string) => ({
  name,
  namespace: 'default',
  uid: `uid-${name}`,
  resourceVersion: '1',
});

function host(name: string, more: Omit<MacHostObject, 'metadata'> = {}): MacHostObject {
  return { metadata: metadataOf(name), ...more };
}

function machine(name: string, status: NonNullable<MachineObject['status']>): MachineObject {
  return { metadata: metadataOf(name), status };
}

const waits = (name: string, reason: string, status: 'False' | 'True' = 'False'): MachineObject =>
  machine(name, { conditions: [{ type: 'Provisioned', status, reason }] });

describe('invariants', () => {
  it('that hold show as 0, each with its id', async () => {
    expect(await shown({}, 'muster_invariant_violations')).toEqual(
      ['S1', 'S2', 'S6', 'S7', 'S17', 'S21', 'L2', 'L3'].map((inv) => `{inv="${inv}"} 0`),
    );
  });

  it('that do not hold show the number of findings', async () => {
    const both = ['a', 'b'].map((name) => machine(name, { serverID: 'h' }));
    const claim = { namespace: 'default', name: ClaimName.parse('a'), uid: MachineUid.parse('uid-a') };
    const lines = await shown(
      { machines: () => both, hosts: () => [host('h', { spec: { claim } })] },
      'muster_i',
    );
    expect(lines).toContain('nvariant_violations{inv="S1"} 2');
    expect(lines).toContain('nvariant_violations{inv="S7"} 2');
  });
});

it('an order under a live machine shows as S21', async () => {
  const release = {
    policy: 'pool' as const,
    poolPrefix: 'pool-',
    orderedBy: 'sweep',
    orderedAt: time(60),
  };
  const owned = host('h', { spec: { release }, status: { observed: { name: 'a', status: 'ready' } } });
  const lines = await shown(
    { hosts: () => [owned], machines: () => [machine('a', {})] },
    'muster_invariant_violations{inv="S21"}',
  );
  expect(lines).toEqual([' 1']);
});

it('the age of the oldest stranded host counts from the start of that state', async () => {
  const name = 'muster_stranded_oldest_seconds';
  expect(await shown({}, name)).toEqual([' 0']);
  const hosts = () => [
    host('a', { status: { state: 'Stranded', since: time(60) } }),
    host('b', { status: { state: 'Stranded', since: time(3600) } }),
    host('c', { status: { state: 'Owned', since: time(7200) } }),
  ];
  expect(await shown({ hosts }, name)).toEqual([' 3600']);
});

it('the age of the oldest wipe counts only hosts being released', async () => {
  const name = 'muster_wipe_oldest_seconds';
  expect(await shown({}, name)).toEqual([' 0']);
  const hosts = () => [
    host('a', { status: { state: 'Releasing', since: time(60) } }),
    host('b', { status: { state: 'Reinstalling', since: time(1800) } }),
    host('c', { status: { state: 'Owned', since: time(7200) } }),
  ];
  expect(await shown({ hosts }, name)).toEqual([' 1800']);
});

it('an end of a rent that the provider has accepted no longer counts', async () => {
  const name = 'muster_terminate_oldest_seconds';
  expect(await shown({}, name)).toEqual([' 0']);
  const hosts = () => [
    host('a', { status: { state: 'Terminating', reason: 'Deleting', since: time(60) } }),
    host('b', { status: { state: 'Terminating', reason: 'PermissionDenied', since: time(1800) } }),
    host('c', { status: { state: 'Terminating', reason: 'Deleted', since: time(7200) } }),
    host('d', { status: { state: 'Broken', reason: 'Broken', since: time(7200) } }),
  ];
  expect(await shown({ hosts }, name)).toEqual([' 1800']);
});

it('a busy host counts from when it was first seen busy, until it is ready or not in use', async () => {
  let seconds = 0;
  let seen = host('a', { status: { state: 'Pooled', observed: { status: 'rebooting', delivered: true } } });
  const metrics = new PromMetrics();
  measureFleet(metrics, { ...quiet, hosts: () => [seen], now: () => now + seconds * 1000 });
  const after = async (more: number): Promise<string | undefined> => {
    seconds += more;
    return /^muster_host_busy_oldest_seconds (.*)$/m.exec(await metrics.text())?.[1];
  };
  expect([await after(0), await after(100)]).toEqual(['0', '100']);
  seen = host('a', { status: { state: 'Pooled', observed: { status: 'ready', delivered: true } } });
  expect(await after(100)).toBe('0');
  seen = host('a', { status: { state: 'Owned', observed: { status: 'rebooting', delivered: true } } });
  expect([await after(100), await after(50)]).toEqual(['0', '50']);
  seen = host('a', { status: { state: 'Foreign', observed: { status: 'rebooting', delivered: true } } });
  expect(await after(100)).toBe('0');
});

it('the age of an inventory counts from its listing, or from the start of leadership without one', async () => {
  const listedAt = (zone: string) => (zone === 'fr-par-1' ? now - 5000 : undefined);
  expect(await shown({ listedAt }, 'muster_inventory_age_seconds')).toEqual([
    '{zone="fr-par-1"} 5',
    '{zone="fr-par-3"} 90',
  ]);
});

it('waiting machines are counted by reason, and NoAvailableHost is shown even as 0', async () => {
  const machines = () => [
    waits('a', 'NoAvailableHost'),
    waits('b', 'NoAvailableHost'),
    waits('c', 'Adopting'),
    waits('d', 'Provisioned', 'True'),
    { metadata: { ...metadataOf('e'), deletionTimestamp: time(5) }, status: waits('e', 'Adopting').status },
  ];
  expect(await shown({ machines }, 'muster_machines_waiting')).toEqual([
    '{reason="NoAvailableHost"} 2',
    '{reason="Adopting"} 1',
  ]);
  expect(await shown({}, 'muster_machines_waiting')).toEqual(['{reason="NoAvailableHost"} 0']);
});

it('each machine shows one phase, Pending by default, and its failure reason', async () => {
  const failed = machine('a', { phase: 'Failed', failureReason: 'AgentUpdateFailed' });
  const metrics = new PromMetrics();
  let machines: readonly MachineObject[] = [failed, machine('b', {})];
  measureFleet(metrics, { ...quiet, machines: () => machines });
  const lines = async () =>
    (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('capt_scaleway_applesilicon_machine_phase'));
  expect(await lines()).toEqual([
    'capt_scaleway_applesilicon_machine_phase{machine="a",fleet="",phase="Failed",failure_reason="AgentUpdateFailed"} 1',
    'capt_scaleway_applesilicon_machine_phase{machine="b",fleet="",phase="Pending",failure_reason=""} 1',
  ]);
  machines = [machine('a', { phase: 'Ready' })];
  expect(await lines()).toEqual([
    'capt_scaleway_applesilicon_machine_phase{machine="a",fleet="",phase="Ready",failure_reason=""} 1',
  ]);
});

describe('costs', () => {
  const hosts = () => [
    host('a', { status: { state: 'Pooled', observed: { type: 'M1-M', status: 'ready' } } }),
    host('b', { status: { state: 'Stranded', observed: { type: 'M2-M', status: 'ready' } } }),
    host('c', { status: { state: 'Owned', observed: { type: 'M4-M', status: 'ready' } } }),
  ];

  it('include only hosts whose type has a price, and count the others', async () => {
    const prices = new Map([
      ['M1-M', 2.5],
      ['M2-M', 4],
    ]);
    expect(await shown({ hosts, prices }, 'muster_host_euros_per_day')).toEqual([
      '{use="idle"} 2.5',
      '{use="stranded"} 4',
      '{use="total"} 6.5',
    ]);
    expect(await shown({ hosts, prices }, 'muster_hosts_without_price')).toEqual(['{type="M4-M"} 1']);
  });

  it('without any price are absent', async () => {
    expect(await shown({ hosts }, 'muster_host_euros_per_day')).toEqual([]);
    expect(await shown({ hosts }, 'muster_hosts_without_price')).toHaveLength(3);
  });
});

it('a replica that does not lead shows none of these gauges', async () => {
  const machines = () => [waits('a', 'NoAvailableHost')];
  const all = await shown({ machines, leadsSince: () => undefined, prices: new Map([['M1-M', 1]]) }, '');
  const names = [
    'invariant',
    'stranded_oldest',
    'wipe_oldest',
    'host_busy',
    'machines_waiting',
    'inventory_age',
    'euros',
    'phase',
  ];
  const values = all.filter((line) => !line.startsWith('#') && names.some((name) => line.includes(name)));
  expect(values).toEqual([]);
});
