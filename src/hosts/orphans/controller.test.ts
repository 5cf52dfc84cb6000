/** The reclaimer reclaims no host for which a machine speaks when the host is read again. */
import { expect, it, vi } from 'vitest';
import { hostId, HostHarness } from '../../../lab/harness/host-harness.ts';
import { onePerPage } from '../../../lab/harness/one-per-page.ts';
import { annotations } from '../../api/names/annotations.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { macHosts, machines, type MacHostObject } from '../state/objects.ts';
import { freshList } from '../../kube/reconciler/fresh-read.ts';
import { OrphanReclaimer } from './controller.ts';
import type { OrphanReclaimerPorts } from './ports.ts';

const claim = { namespace: 'default', name: 'runners-1', uid: 'gone' };

async function stranded(harness: HostHarness, spec: object): Promise<MacHostObject> {
  harness.server = { ...harness.server, name: 'runners-1' };
  return harness.host(spec);
}

async function reclaim(harness: HostHarness, host: MacHostObject) {
  const reclaimer = reclaimerOn(harness, () => [host]);
  const observed = { ...(await reclaimer.observe()), seenStranded: new Map([[hostId, 2]]) };
  return reclaimer.act({ kind: 'reclaim', host }, observed);
}

function reclaimerOn(
  harness: HostHarness,
  hosts: () => readonly MacHostObject[],
  over: Partial<OrphanReclaimerPorts> = {},
): OrphanReclaimer {
  const view = harness.viewOf();
  return new OrphanReclaimer({
    client: harness.client,
    hosts,
    view: () => view,
    completeView: async () => harness.viewOf(...(await freshList(harness.client, machines))),
    inventories: () => 5,
    now: harness.now,
    intervalMs: 1000,
    claimPrefix: 'runners-',
    poolPrefix: 'pool-',
    reclaimsMax: 2,
    counted: () => undefined,
    reclaimed: () => undefined,
    ...over,
  });
}

it('orders the wipe of a host for which no machine speaks', async () => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim, used: true });
  expect(await reclaim(harness, host)).toBe('requested');
  expect((await harness.storedHost()).spec?.release).toMatchObject({ policy: 'pool', orderedBy: 'sweep' });
});

it.for([
  ['names it', { metadata: { annotations: { [annotations.host.key]: hostId } } }],
  ['is bound to it', { status: { serverID: hostId } }],
] as const)('reclaims nothing when a machine %s that the cache did not show', async ([, fields]) => {
  const harness = new HostHarness();
  const host = await stranded(harness, { used: true });
  await harness.machine('any-name', fields);
  expect(await reclaim(harness, host)).toBe('precondition-lost');
});

it('reclaims nothing when a machine on a later page of the list names the host', async () => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim, used: true });
  for (const name of ['any-1', 'any-2']) await harness.machine(name);
  await harness.machine('any-3', { metadata: { annotations: { [annotations.host.key]: hostId } } });
  onePerPage(harness.client);
  expect(await reclaim(harness, host)).toBe('precondition-lost');
});

it('reclaims nothing from a machine created again under the name of the claim', async () => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim, used: true });
  await harness.machine(claim.name);
  expect(await reclaim(harness, host)).toBe('precondition-lost');
});

it('reclaims a host claimed from another namespace, even if a machine here has the name', async () => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim: { ...claim, namespace: 'elsewhere' }, used: true });
  await harness.machine(claim.name);
  expect(await reclaim(harness, host)).toBe('requested');
});

it.for(['tuist-claim-pending-1', 'not-ours'])(
  'reclaims nothing when the server is called %s by the time of the order',
  async (name) => {
    const harness = new HostHarness();
    const host = await stranded(harness, { claim, used: true });
    const status = { observed: { ...host.status?.observed, name } };
    await harness.client.patch(macHosts, { name: hostId, subresource: 'status' }, { merge: { status } });
    expect(await reclaim(harness, host)).toBe('precondition-lost');
    expect((await harness.storedHost()).spec).not.toHaveProperty('release');
  },
);

it('records the server name in the order', async () => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim, used: true });
  await reclaim(harness, host);
  expect((await harness.storedHost()).spec?.release).toMatchObject({ serverName: 'runners-1' });
});

it('counts a host after two inventories, and reclaims once a period', async () => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim, used: true });
  let inventories = 5;
  const counts: number[] = [];
  const reclaimer = reclaimerOn(harness, () => [host], {
    inventories: () => inventories,
    counted: (hosts) => void counts.push(hosts.length),
  });
  const due: boolean[] = [];
  for (const seen of [5, 6, 7]) {
    inventories = seen;
    due.push((await reclaimer.observe()).isReclaimDue);
    await harness.clock.pass(400);
  }
  expect([counts, due]).toEqual([
    [0, 1, 1],
    [true, false, false],
  ]);
  expect((await reclaimer.observe()).isReclaimDue).toBe(true);
});

it('orders nothing when an operator holds the host at the same moment', async () => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim, used: true });
  const hold = { reason: 'x', since: '2026-01-01T00:00:00Z' };
  harness.beforeNext('PATCH', () => harness.changeHost({ spec: { hold } }));
  await expect(reclaim(harness, host)).rejects.toMatchObject({ kind: 'conflict' });
  expect((await harness.storedHost()).spec).toEqual({ claim, used: true, hold });
});

it('reclaims no host with the name of a machine without a host', async () => {
  const harness = new HostHarness();
  const host = await stranded(harness, { used: true });
  await harness.machine('runners-1');
  expect(await reclaim(harness, host)).toBe('precondition-lost');
});

it('counts the reclaims of the last period, so that an early pass reclaims no more', async () => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim, used: true });
  const reclaimer = reclaimerOn(harness, () => [host]);
  const observed = { ...(await reclaimer.observe()), seenStranded: new Map([[hostId, 2]]) };
  await reclaimer.act({ kind: 'reclaim', host }, observed);
  expect((await reclaimer.observe()).reclaimedLately).toBe(1);
});

it.for([
  ['whose answer was lost', new FleetError('unavailable', { reason: 'AnswerLost', message: 'lost' }), 1],
  ['that was refused', new FleetError('conflict', { reason: 'Conflict', message: 'changed' }), 0],
] as const)('counts an order %s correctly', async ([, failure, counted]) => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim, used: true });
  const reclaimer = reclaimerOn(harness, () => [host]);
  const observed = { ...(await reclaimer.observe()), seenStranded: new Map([[hostId, 2]]) };
  vi.spyOn(harness.client, 'patch').mockRejectedValueOnce(failure);
  await expect(reclaimer.act({ kind: 'reclaim', host }, observed)).rejects.toBe(failure);
  expect((await reclaimer.observe()).reclaimedLately).toBe(counted);
});

it.for([
  ['is held meanwhile', { spec: { hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } } }, ''],
  ['has another name meanwhile', { status: { observed: { name: 'keep-for-later' } } }, '/status'],
] as const)('reclaims no host that %s', async ([, change, below]) => {
  const harness = new HostHarness();
  const host = await stranded(harness, { claim, used: true });
  harness.changeHost(change, below);
  expect(await reclaim(harness, host)).toBe('precondition-lost');
});
