/**
 * A listing is checked against newer knowledge. Servers that seem gone are read one by one, and a newer read of a
 * server is not overwritten by an older listing.
 */
import { describe, expect, it } from 'vitest';
import { hostId, HostHarness } from '../../../lab/harness/host-harness.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { observedOf } from '../state/observed-server.ts';
import { macHosts, type MacHostObject } from '../state/objects.ts';
import type { Provider } from '../provider/port.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { Inventory } from './controller.ts';
import type { InventoryPorts } from './ports.ts';
import { plan, type Observed } from './plan.ts';

const gone = new FleetError('gone', { reason: 'NotFound', message: 'no such server' });
const denied = new FleetError('rejected', { reason: 'PermissionDenied', message: 'not yours' });

function inventoryOf(harness: HostHarness, over: Partial<InventoryPorts>): Inventory {
  return new Inventory({
    provider: harness.provider,
    client: harness.client,
    hosts: () => [],
    now: harness.now,
    intervalMs: 30_000,
    claimPrefix: '',
    isSpokenFor: () => false,
    prices: new Map(),
    isKept: () => true,
    zones: () => ['fr-par-1'],
    readSince: () => undefined,
    listed: () => true,
    refused: () => undefined,
    ...over,
  });
}

async function seenBy(inventory: Inventory): Promise<Observed> {
  const observed = await inventory.observe('fr-par-1');
  if (observed === undefined || 'refusal' in observed) throw new Error('nothing was listed');
  return observed;
}

/** One pass, with a change after the provider has made its listing. */
async function pass(
  inventory: Inventory,
  meanwhile: () => void | Promise<void>,
): Promise<readonly ActionResult[]> {
  const observed = await seenBy(inventory);
  await meanwhile();
  const results: ActionResult[] = [];
  for (const action of plan(observed).actions) results.push(await inventory.act(action, observed));
  return results;
}

async function statusAfter(
  answers: Readonly<Record<string, FleetError | undefined>>,
): Promise<string | undefined> {
  const harness = new HostHarness();
  const host = await harness.host({});
  const other: MacHostObject = { ...host, metadata: { ...host.metadata, name: 'other' } };
  const getServer: Provider['getServer'] = ({ id }) => {
    const answer = answers[id === 'other' ? 'other' : 'first'];
    return answer === undefined ? Promise.resolve(harness.server) : Promise.reject(answer);
  };
  const provider = { listServers: () => Promise.resolve([]), getServer };
  const inventory = inventoryOf(harness, { provider, hosts: () => [host, other] });
  const observed = await seenBy(inventory);
  await inventory.act({ kind: 'miss-all', hosts: [host, other] }, observed).catch((error: unknown) => {
    if (!(error instanceof FleetError)) throw error;
  });
  return (await harness.storedHost()).status?.observed?.status;
}

describe('an empty listing', () => {
  it('marks all hosts as gone when the provider confirms each of them', async () =>
    expect(await statusAfter({ first: gone, other: gone })).toBe('gone'));

  it.for([
    ['exists', undefined],
    ['cannot be read', denied],
  ] as const)('marks no host as gone when one of them %s', async ([, other]) =>
    expect(await statusAfter({ first: gone, other })).toBe('ready'),
  );
});

describe('a listing that is older than the stored state', () => {
  const nameOf = async (harness: HostHarness) => (await harness.storedHost()).status?.observed?.name;

  /** The listing shows another name than the stored one, so that there is something to write. */
  async function listingOf(name: string, over: Partial<InventoryPorts> = {}) {
    const harness = new HostHarness();
    const host = await harness.host({});
    const listed = { ...harness.server, name };
    const provider = { ...harness.provider, listServers: () => Promise.resolve([listed]) };
    return { harness, inventory: inventoryOf(harness, { provider, hosts: () => [host], ...over }) };
  }

  it('is written when the server was not read on its own', async () => {
    const { harness, inventory } = await listingOf('as-listed');
    expect(await pass(inventory, () => undefined)).toEqual(['requested']);
    expect(await nameOf(harness)).toBe('as-listed');
  });

  it('a server that was read lately, and recorded, is not read again', async () => {
    const asked: (readonly [string, number])[] = [];
    const { harness, inventory } = await listingOf('of-before', {
      readSince: (id, at) => {
        asked.push([id, at]);
        return { server: harness.server, isCurrent: true };
      },
    });
    harness.changeHost({ status: { observed: observedOf(harness.server) } }, '/status');
    harness.meanwhile = () => expect.fail('the provider was asked');
    expect(await pass(inventory, () => undefined), 'no early listing').toEqual(['no-op']);
    expect(await nameOf(harness)).toBe(harness.server.name);
    expect(asked).toEqual([[hostId, harness.clock.now() - 30_000]]);
  });

  it.for([
    ['before a request changed it', { isCurrent: false, was: 'ready', is: 'reinstalling' }],
    ['while it was wiped', { isCurrent: true, was: 'reinstalling', is: 'ready' }],
  ] as const)('a server that was read %s is read again', async ([, given]) => {
    const { isCurrent, was, is } = given;
    const { harness, inventory } = await listingOf('of-before', {
      readSince: () => ({ server: before, isCurrent }),
    });
    const before = { ...harness.server, status: was, statusText: was };
    harness.changeHost({ status: { observed: observedOf(before) } }, '/status');
    harness.server = { ...before, status: is, statusText: is };
    await pass(inventory, () => undefined);
    expect((await harness.storedHost()).status?.observed?.status).toBe(is);
  });

  it('a server that was read lately, and not recorded, is read again', async () => {
    const { harness, inventory } = await listingOf('of-before', {
      readSince: () => ({ server: harness.server, isCurrent: true }),
    });
    harness.server = { ...harness.server, name: 'first-1' };
    await pass(inventory, () => undefined);
    expect(await nameOf(harness)).toBe('first-1');
  });

  it('nothing is written when the server shows the stored state', async () => {
    const { harness, inventory } = await listingOf('of-before', {
      readSince: () => ({ server: { ...harness.server, name: 'read-before-that' }, isCurrent: true }),
    });
    harness.changeHost({ status: { observed: observedOf(harness.server) } }, '/status');
    harness.beforeNext('PATCH', () => expect.fail('it was written'));
    expect(await pass(inventory, () => undefined), 'no early listing').toEqual(['no-op']);
    expect(await nameOf(harness)).toBe(harness.server.name);
  });

  it('an observation written while the listing is under way stays', async () => {
    const { harness, inventory } = await listingOf('of-before');
    await pass(inventory, () => {
      harness.server = { ...harness.server, name: 'first-1' };
      harness.changeHost({ status: { observed: { name: 'first-1' } } }, '/status');
    });
    expect(await nameOf(harness)).toBe('first-1');
  });

  it('an observation written while the server is read stays', async () => {
    const { harness, inventory } = await listingOf('of-before', {
      readSince: () => ({ server: harness.server, isCurrent: true }),
    });
    harness.server = { ...harness.server, name: 'of-before' };
    harness.meanwhile = () => harness.changeHost({ status: { observed: { name: 'first-1' } } }, '/status');
    expect(await pass(inventory, () => undefined), 'no early listing').toEqual(['no-op']);
    expect(await nameOf(harness)).toBe('first-1');
  });
});

it('only a listing that counts adds a miss, and any listing clears the misses', async () => {
  const harness = new HostHarness();
  const host = await harness.host({});
  const listings = [
    { shown: [], counts: true },
    { shown: [], counts: false },
    { shown: [], counts: true },
    { shown: [harness.server], counts: false },
    { shown: [], counts: false },
    { shown: [], counts: true },
  ];
  let now = { shown: [harness.server], counts: true };
  const inventory = inventoryOf(harness, {
    provider: { ...harness.provider, listServers: () => Promise.resolve(now.shown) },
    hosts: () => [host],
    listed: () => now.counts,
  });
  const missed: (number | undefined)[] = [];
  for (const listing of listings) {
    now = listing;
    missed.push((await seenBy(inventory)).missed.get(hostId));
  }
  expect(missed).toEqual([1, 1, 2, undefined, 0, 1]);
});

it('a zone that is not configured is not listed', async () => {
  const harness = new HostHarness();
  const provider = { ...harness.provider, listServers: () => expect.fail('it was listed') };
  const inventory = inventoryOf(harness, { provider, isKept: () => false });
  expect(await inventory.observe('fr-par-1')).toBeUndefined();
});

describe('a listing that the provider refuses', () => {
  function refusing(refusal: FleetError, over: Partial<InventoryPorts>) {
    const harness = new HostHarness();
    const provider = { ...harness.provider, listServers: () => Promise.reject(refusal) };
    return { harness, inventory: inventoryOf(harness, { provider, ...over }) };
  }

  it.for([
    ['unavailable', 'NotFound'],
    ['rejected', 'InvalidArguments'],
  ] as const)('as %s, %s is retried at the time that the list of zones gives', async ([kind, reason]) => {
    const refusal = new FleetError(kind, { reason, message: 'list servers in mars-1: 404' });
    const reported: string[] = [];
    const { harness, inventory } = refusing(refusal, {
      refused: (zone, why) => {
        reported.push(`${zone}: ${why}`);
        return 7;
      },
      listed: () => expect.fail('nothing was listed'),
    });
    const observed = await inventory.observe('mars-1');
    if (observed === undefined) throw new Error('the zone must be observed');
    expect(observed).toEqual({ zone: 'mars-1', began: harness.clock.now(), refusal, nextAt: 7 });
    expect(reported).toEqual(['mars-1: list servers in mars-1: 404']);
    const note = { subject: 'mars-1', reason, detail: 'list servers in mars-1: 404' };
    expect(plan(observed)).toEqual({ actions: [], notes: [note], requeueAt: 7 });
  });

  it('is a failure like any other where the zone exists', async () => {
    const refusal = new FleetError('unavailable', { reason: 'NotFound', message: '404' });
    const { inventory } = refusing(refusal, { refused: () => undefined });
    await expect(inventory.observe('fr-par-1')).rejects.toBe(refusal);
  });

  it.for([
    ['unavailable', 'ProviderUnavailable'],
    ['unavailable', 'RateLimited'],
    ['unavailable', 'RedirectRefused'],
    ['rejected', 'PermissionDenied'],
  ] as const)('as %s, %s does not question the zone', async ([kind, reason]) => {
    const refusal = new FleetError(kind, { reason, message: 'no' });
    const { inventory } = refusing(refusal, { refused: () => expect.fail('the zone was questioned') });
    await expect(inventory.observe('mars-1')).rejects.toBe(refusal);
  });
});

describe('a MacHost that no inventory has observed, as after a restore from a backup', () => {
  const zones = () => ['fr-par-1', 'nl-ams-1'];
  const unobserved: MacHostObject = {
    metadata: { name: hostId, uid: 'u', resourceVersion: '1' },
    spec: { release: { policy: 'pool', orderedBy: 'machine', orderedAt: '2026-01-01T00:00:00Z' } },
  };

  async function statusAfterTwo(getServer: Provider['getServer']): Promise<string | undefined> {
    const harness = new HostHarness();
    const status = { observed: null };
    await harness.host({});
    await harness.client.patch(macHosts, { name: hostId, subresource: 'status' }, { merge: { status } });
    const provider = { listServers: () => Promise.resolve([]), getServer };
    const inventory = inventoryOf(harness, { provider, zones, hosts: () => [unobserved] });
    for (let listing = 0; listing < 2; listing += 1) await pass(inventory, () => undefined);
    return (await harness.storedHost()).status?.observed?.status;
  }

  it('is marked as gone when two listings lack it and no zone has its server', async () => {
    const asked: string[] = [];
    const status = await statusAfterTwo(({ zone }) => {
      asked.push(zone);
      return Promise.reject(gone);
    });
    expect([status, asked]).toEqual(['gone', zones()]);
  });

  it('stays when another zone has its server', async () => {
    const harness = new HostHarness();
    const status = await statusAfterTwo(({ zone }) =>
      zone === 'nl-ams-1' ? Promise.resolve(harness.server) : Promise.reject(gone),
    );
    expect(status).toBe(undefined);
  });
});
