/** A sweep takes nothing back that anybody speaks for when it is looked at again. */
import { expect, it, vi } from 'vitest';
import { hostId, HostStand } from '../../../test/host-stand.ts';
import { onePerPage } from '../../../test/one-per-page.ts';
import { annotations } from '../../api/annotations.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { machines, type MacHostObject } from '../../fleet/objects.ts';
import { freshList } from '../../runtime/controller/fresh-read.ts';
import { Sweep, type SweepPorts } from './sweep.ts';

const claim = { namespace: 'default', name: 'runners-1', uid: 'gone' };

async function stranded(stand: HostStand, spec: object): Promise<MacHostObject> {
  stand.server = { ...stand.server, name: 'runners-1' };
  return stand.host(spec);
}

async function reclaim(stand: HostStand, host: MacHostObject) {
  const sweep = sweepOn(stand, () => [host]);
  const observed = { ...(await sweep.observe()), seenStranded: new Map([[hostId, 2]]) };
  return sweep.act({ kind: 'reclaim', host }, observed);
}

function sweepOn(
  stand: HostStand,
  hosts: () => readonly MacHostObject[],
  over: Partial<SweepPorts> = {},
): Sweep {
  const view = stand.viewOf();
  return new Sweep({
    client: stand.client,
    hosts,
    view: () => view,
    completeView: async () => stand.viewOf(...(await freshList(stand.client, machines))),
    inventories: () => 5,
    now: stand.now,
    intervalMs: 1000,
    claimPrefix: 'runners-',
    poolPrefix: 'pool-',
    reclaimsMax: 2,
    counted: () => undefined,
    reclaimed: () => undefined,
    ...over,
  });
}

it('orders the wipe of a host that nobody speaks for', async () => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim, used: true });
  expect(await reclaim(stand, host)).toBe('asked');
  expect((await stand.storedHost()).spec?.release).toMatchObject({ policy: 'pool', orderedBy: 'sweep' });
});

it.for([
  ['means it', { metadata: { annotations: { [annotations.host.key]: hostId } } }],
  ['says that it is served by it', { status: { serverID: hostId } }],
] as const)('takes nothing back when a machine %s that the cache did not know', async ([, fields]) => {
  const stand = new HostStand();
  const host = await stranded(stand, { used: true });
  await stand.machine('any-name', fields);
  expect(await reclaim(stand, host)).toBe('overtaken');
});

it('takes nothing back when the machine that means it stands on a later page', async () => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim, used: true });
  for (const name of ['any-1', 'any-2']) await stand.machine(name);
  await stand.machine('any-3', { metadata: { annotations: { [annotations.host.key]: hostId } } });
  onePerPage(stand.client);
  expect(await reclaim(stand, host)).toBe('overtaken');
});

it('takes nothing back from a machine that was created again under the name of the claim', async () => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim, used: true });
  await stand.machine(claim.name);
  expect(await reclaim(stand, host)).toBe('overtaken');
});

it('takes back what another namespace has claimed, whatever machine here has the name', async () => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim: { ...claim, namespace: 'elsewhere' }, used: true });
  await stand.machine(claim.name);
  expect(await reclaim(stand, host)).toBe('asked');
});

it('writes into the order what the server was called', async () => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim, used: true });
  await reclaim(stand, host);
  expect((await stand.storedHost()).spec?.release).toMatchObject({ serverName: 'runners-1' });
});

it('counts a host after two inventories, and takes back once a period', async () => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim, used: true });
  let inventories = 5;
  const counts: number[] = [];
  const sweep = sweepOn(stand, () => [host], {
    inventories: () => inventories,
    counted: (hosts) => void counts.push(hosts.length),
  });
  const due: boolean[] = [];
  for (const seen of [5, 6, 7]) {
    inventories = seen;
    due.push((await sweep.observe()).isReclaimDue);
    await stand.clock.pass(400);
  }
  expect([counts, due]).toEqual([
    [0, 1, 1],
    [true, false, false],
  ]);
  expect((await sweep.observe()).isReclaimDue).toBe(true);
});

it('orders nothing when a person keeps the host aside in the same moment', async () => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim, used: true });
  const hold = { reason: 'x', since: '2026-01-01T00:00:00Z' };
  stand.beforeNext('PATCH', () => stand.changeHost({ spec: { hold } }));
  await expect(reclaim(stand, host)).rejects.toMatchObject({ kind: 'conflict' });
  expect((await stand.storedHost()).spec).toEqual({ claim, used: true, hold });
});

it('takes nothing back that is called like a machine without a host', async () => {
  const stand = new HostStand();
  const host = await stranded(stand, { used: true });
  await stand.machine('runners-1');
  expect(await reclaim(stand, host)).toBe('overtaken');
});

it('counts what it took back within the last period, so that a pass that comes early takes no more', async () => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim, used: true });
  const sweep = sweepOn(stand, () => [host]);
  const observed = { ...(await sweep.observe()), seenStranded: new Map([[hostId, 2]]) };
  await sweep.act({ kind: 'reclaim', host }, observed);
  expect((await sweep.observe()).reclaimedLately).toBe(1);
});

it.for([
  ['whose answer was lost', new FleetError('unavailable', { reason: 'AnswerLost', message: 'lost' }), 1],
  ['that was refused', new FleetError('conflict', { reason: 'Conflict', message: 'changed' }), 0],
] as const)('counts an order %s as it must', async ([, failure, counted]) => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim, used: true });
  const sweep = sweepOn(stand, () => [host]);
  const observed = { ...(await sweep.observe()), seenStranded: new Map([[hostId, 2]]) };
  vi.spyOn(stand.client, 'patch').mockRejectedValueOnce(failure);
  await expect(sweep.act({ kind: 'reclaim', host }, observed)).rejects.toBe(failure);
  expect((await sweep.observe()).reclaimedLately).toBe(counted);
});

it.for([
  ['is kept aside by now', { spec: { hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } } }, ''],
  ['has another name by now', { status: { observed: { name: 'keep-for-later' } } }, '/status'],
] as const)('takes nothing back that %s', async ([, change, below]) => {
  const stand = new HostStand();
  const host = await stranded(stand, { claim, used: true });
  stand.changeHost(change, below);
  expect(await reclaim(stand, host)).toBe('overtaken');
});
