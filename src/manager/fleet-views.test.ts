/** What a decision is proved with is read from the store, whatever the caches say. */
import { expect, it } from 'vitest';
import { hostId, HostStand } from '../../test/host-stand.ts';
import { annotations } from '../api/annotations.ts';
import { ClaimName, MachineUid } from '../api/ids.ts';
import type { MachineObject } from '../fleet/objects.ts';
import { FleetViews } from './fleet-views.ts';

/** A cache that knows these machines, however they have changed since. */
function viewsOf({ client }: HostStand, ...cached: readonly MachineObject[]): FleetViews {
  const cache = { all: () => cached, find: () => cached };
  return new FleetViews(client, cache, { defaultPoolPrefix: 'pool-', claimPrefix: '' });
}

it('a machine that has let go of the host since does not keep it', async () => {
  const stand = new HostStand();
  const machine = await stand.machine('mac-a', { status: { serverID: hostId } });
  const views = viewsOf(stand, machine);
  const host = await stand.host({
    claim: { namespace: 'default', name: 'mac-a', uid: machine.metadata.uid },
  });
  expect((await views.fresh(host)).isServing(hostId)).toBe(true);
  stand.changeMachine('mac-a', { status: { serverID: '' } }, '/status');
  expect([views.cached().isServing(hostId), (await views.fresh(host)).isServing(hostId)]).toEqual([
    true,
    false,
  ]);
});

it('a claim of a machine that was deleted and made again under its name is not alive', async () => {
  const stand = new HostStand();
  const machine = await stand.machine('mac-a', { status: { serverID: hostId } });
  const uid = MachineUid.parse('of the first');
  const claim = { namespace: 'default', name: ClaimName.parse('mac-a'), uid };
  const host = await stand.host({ claim });
  const first = { ...machine, metadata: { ...machine.metadata, uid } };
  const views = viewsOf(stand, first);
  const fresh = await views.fresh(host);
  expect([views.cached().isLive(claim, hostId), fresh.isLive(claim, hostId)]).toEqual([true, false]);
  expect(fresh.isServing(hostId)).toBe(true);
});

it('a machine that the cache knows only to mean the host has it when that is what is stored', async () => {
  const stand = new HostStand();
  const metadata = { annotations: { [annotations.host.key]: hostId } };
  const means = await stand.machine('mac-a', { metadata });
  const views = viewsOf(stand, means);
  stand.changeMachine('mac-a', { status: { serverID: hostId } }, '/status');
  const host = await stand.host({ used: true });
  expect([views.cached().isServing(hostId), (await views.fresh(host)).isServing(hostId)]).toEqual([
    false,
    true,
  ]);
});

it('a host is the home only of a machine that chose it itself, whatever its status says', async () => {
  const stand = new HostStand();
  const host = await stand.host({ used: true });
  const says = await stand.machine('mac-a', { status: { serverID: hostId } });
  const homeOf = async (machine: MachineObject): Promise<readonly boolean[]> => {
    const views = viewsOf(stand, machine);
    return [views.cached().isHome(hostId), (await views.fresh(host)).isHome(hostId)];
  };
  expect(await homeOf(says)).toEqual([false, false]);
  const metadata = { annotations: { [annotations.host.key]: hostId } };
  const chose = await stand.machine('mac-b', { metadata, status: { serverID: hostId } });
  expect(await homeOf(chose)).toEqual([true, true]);
});
