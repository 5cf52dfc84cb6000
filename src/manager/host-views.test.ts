/** A decision is proved by stored objects, whatever the caches show. */
import { describe, expect, it } from 'vitest';
import { hostId, HostHarness } from '../../lab/harness/host-harness.ts';
import { annotations } from '../api/names/annotations.ts';
import { MachineUid } from '../api/names/ids.ts';
import type { FleetView } from '../hosts/state/host-state.ts';
import { recordOf, type MacHostObject, type MachineObject } from '../hosts/state/objects.ts';
import { FleetViews } from './host-views.ts';

/** A cache that keeps these machines, however they change later. */
function viewsOf({ client }: HostHarness, ...cached: readonly MachineObject[]): FleetViews {
  const caches = { machines: { all: () => cached, find: () => cached }, hosts: { find: () => [] } };
  return new FleetViews(client, caches, { defaultPoolPrefix: 'pool-', claimPrefix: '' });
}

function speakersIn(view: FleetView, host: MacHostObject): readonly string[] {
  return view.ownershipOf(recordOf(host)).speakers.map(({ name, by }) => `${name} by ${by.join(', ')}`);
}

it('a machine that no longer names the host does not keep it', async () => {
  const harness = new HostHarness();
  const machine = await harness.machine('mac-a', { status: { serverID: hostId } });
  const views = viewsOf(harness, machine);
  const host = await harness.host({ used: true });
  harness.changeMachine('mac-a', { status: { serverID: '' } }, '/status');
  expect(speakersIn(views.cached(), host)).toEqual(['mac-a by serverID']);
  expect(speakersIn(await views.fresh(host, recordOf(host)), host)).toEqual([]);
});

it('a claim of a machine that was deleted and created again under its name has no claimant', async () => {
  const harness = new HostHarness();
  const machine = await harness.machine('mac-a', { status: { serverID: hostId } });
  const uid = MachineUid.parse('of the first');
  const host = await harness.host({ claim: { namespace: 'default', name: 'mac-a', uid } });
  const first = { ...machine, metadata: { ...machine.metadata, uid } };
  const views = viewsOf(harness, first);
  const fresh = (await views.fresh(host, recordOf(host))).ownershipOf(recordOf(host));
  expect(views.cached().ownershipOf(recordOf(host)).claimant).toBe('live');
  expect(fresh.claimant).toBe('missing');
  expect(fresh.speakers.map(({ by }) => by)).toEqual([['serverID']]);
});

it('a machine that only names the host in the cache is bound to it if the store says so', async () => {
  const harness = new HostHarness();
  const metadata = { annotations: { [annotations.host.key]: hostId } };
  const views = viewsOf(harness, await harness.machine('mac-a', { metadata }));
  harness.changeMachine('mac-a', { status: { serverID: hostId } }, '/status');
  const host = await harness.host({ used: true });
  expect(speakersIn(await views.fresh(host, recordOf(host)), host)).toEqual([
    'mac-a by serverID, annotation',
  ]);
});

describe('a machine that is not in the cache yet', () => {
  it.for([
    ['has the name of the server', 'pool-1', {}, 'pool-1 by name'],
    [
      'names the host in its spec',
      'mac-a',
      { spec: { providerID: `scw-applesilicon://fr-par-1/${hostId}` } },
      'mac-a by providerID',
    ],
  ] as const)('and that %s speaks for it in the complete view', async ([, name, change, expected]) => {
    const harness = new HostHarness();
    const host = await harness.host({ used: true });
    await harness.machine(name);
    harness.changeMachine(name, change);
    const views = viewsOf(harness);
    expect(speakersIn(views.cached(), host)).toEqual([]);
    expect(speakersIn(await views.complete(), host)).toEqual([expected]);
  });
});

describe('a server that gets its MacHost', () => {
  const providerID = `scw-applesilicon://fr-par-1/${hostId}`;

  it.for([
    ['is not spoken for under a pool name', 'pool-1', {}, false],
    ['is spoken for under any other name', 'web-1', {}, true],
    [
      'is spoken for under a pool name by a machine bound to it',
      'pool-1',
      { status: { serverID: hostId } },
      true,
    ],
  ] as const)('and that a machine names in its providerID %s', async ([, name, over, expected]) => {
    const harness = new HostHarness();
    await harness.machine('mac-a', over);
    harness.changeMachine('mac-a', { spec: { providerID } });
    const machine = await harness.storedMachine('mac-a');
    const caches = {
      machines: { all: () => [machine], find: (index: string) => (index === 'host' ? [machine] : []) },
      hosts: { find: () => [] },
    };
    const views = new FleetViews(harness.client, caches, { defaultPoolPrefix: 'pool-', claimPrefix: '' });
    expect(views.isSpokenFor({ id: hostId, name })).toBe(expected);
  });
});
