/** Additional rules of providers that rent servers out, and of their outages. */
import { expect } from 'vitest';
import type { OperatingSystem } from '../../../src/hosts/provider/port.ts';
import type { ContractCase } from './run-contract.ts';
import type { RentedFixture } from './harness.ts';

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ';

export const rentedProviderCases: readonly ContractCase<RentedFixture>[] = [
  {
    rule: 'a listing: is in the order of creation',
    proves: async ({ fixture, list }) => {
      expect((await list()).map(({ id }) => id)).toEqual(fixture.ids);
    },
  },
  {
    rule: 'a listing: misses no server when one is deleted and another created between two pages',
    proves: async ({ fixture, list }) => {
      const [first = '', ...others] = fixture.ids;
      fixture.meddler.afterNextPage(() => {
        fixture.meddler.remove(first);
        fixture.meddler.order('newcomer');
      });
      const ids = (await list()).map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining([...others]));
    },
  },
  {
    rule: 'a listing: of one zone has no server of another',
    proves: async ({ fixture }) => {
      const others = await fixture.does((provider) => provider.listServers(fixture.otherZone));
      expect(others.filter(({ id }) => fixture.ids.includes(id))).toEqual([]);
    },
  },
  {
    rule: 'a listing: fails whole when one of its pages fails',
    proves: async ({ fixture, failure }) => {
      fixture.meddler.afterNextPage(() => fixture.meddler.setZoneDown(fixture.zone, true));
      expect(await failure((provider) => provider.listServers(fixture.zone))).toMatchObject({
        kind: 'unavailable',
        reason: 'ProviderUnavailable',
      });
    },
  },
  {
    rule: 'a listing: that is denied is a failure, while reading one server works',
    proves: async ({ fixture, get, failure }) => {
      fixture.meddler.setDenied('list servers', true);
      expect(await failure((provider) => provider.listServers(fixture.zone))).toMatchObject({
        kind: 'rejected',
        reason: 'PermissionDenied',
      });
      expect((await get(fixture.id)).id).toBe(fixture.id);
    },
  },
  {
    rule: 'a reinstall: wipes the disk, changes the host key, and installs the requested image',
    proves: async ({ fixture, at, get }) => {
      const images = await fixture.does((provider) => provider.listOs(fixture.zone, 'M2-L'));
      const image = anySequoia(images);
      fixture.meddler.leaveFile(fixture.id, 'a tenant key');
      const keyBefore = fixture.meddler.hostKeyOf(fixture.id);
      await fixture.does((provider) => provider.reinstall(at(fixture.id), image.id));
      expect(fixture.meddler.residueOf(fixture.id)).toEqual(['a tenant key']);
      await fixture.pass(fixture.reinstallMaxMs + 5000);
      expect(fixture.meddler.residueOf(fixture.id)).toEqual([]);
      expect(fixture.meddler.hostKeyOf(fixture.id)).not.toBe(keyBefore);
      expect(await get(fixture.id)).toMatchObject({ status: 'ready', os: image });
    },
  },
  {
    rule: 'a reinstall: with a retired image is refused, and does not mean that the server is gone',
    proves: async ({ fixture, at, get, failure }) => {
      const images = await fixture.does((provider) => provider.listOs(fixture.zone, 'M2-L'));
      const image = anySequoia(images);
      fixture.meddler.retireOs(image.name);
      const refused = { kind: 'rejected', reason: 'OSNotPublished' } as const;
      expect(await failure((provider) => provider.reinstall(at(fixture.id), image.id))).toMatchObject(
        refused,
      );
      expect(await failure((provider) => provider.reinstall(at(fixture.id), 'nonsense'))).toMatchObject(
        refused,
      );
      const left = await fixture.does((provider) => provider.listOs(fixture.zone, 'M2-L'));
      expect(left.map(({ id }) => id)).not.toContain(image.id);
      expect((await get(fixture.id)).status).toBe('ready');
    },
  },
  {
    rule: 'a reinstall: may never end',
    proves: async ({ fixture, at, get }) => {
      fixture.meddler.stall(fixture.id);
      await fixture.does((provider) => provider.reinstall(at(fixture.id)));
      await fixture.pass(100 * fixture.reinstallMaxMs);
      expect((await get(fixture.id)).status).toBe('reinstalling');
    },
  },
  {
    rule: 'reboots: not ready during the reboot, no wipe, and ready afterwards',
    proves: async ({ fixture, at, get, failure }) => {
      fixture.meddler.leaveFile(fixture.id, 'a file');
      await fixture.does((provider) => provider.reboot(at(fixture.id)));
      await fixture.pass(5000);
      expect((await get(fixture.id)).status).toBe('rebooting');
      expect(await failure((provider) => provider.reinstall(at(fixture.id)))).toMatchObject({
        kind: 'notYet',
        reason: 'TransientState',
      });
      await fixture.pass(3_600_000);
      expect((await get(fixture.id)).status).toBe('ready');
      expect(fixture.meddler.residueOf(fixture.id)).toEqual(['a file']);
    },
  },
  {
    rule: 'the end of a rent: is immediate after the minimum time',
    proves: async ({ fixture, at, list, failure }) => {
      await fixture.does((provider) => provider.delete(at(fixture.id)));
      expect(await failure((provider) => provider.getServer(at(fixture.id)))).toMatchObject({ kind: 'gone' });
      expect(await failure((provider) => provider.delete(at(fixture.id)))).toMatchObject({ kind: 'gone' });
      expect((await list()).map(({ id }) => id)).not.toContain(fixture.id);
    },
  },
  {
    rule: 'the end of a rent: is refused before the minimum time, on each try, in any form',
    proves: async ({ fixture, at, get, failure }) => {
      const { deletableAt = 0 } = await get(fixture.freshId);
      for (let round = 0; round < 12; round += 1)
        expect(await failure((provider) => provider.delete(at(fixture.freshId)))).toMatchObject({
          kind: 'notYet',
          reason: 'BillingFloor',
          retryAt: expect.any(Number),
        });
      expect(deletableAt).toBeGreaterThan(0);
    },
  },
  {
    rule: 'the end of a rent: can be scheduled for the end of the minimum time',
    proves: async ({ fixture, at, get, failure }) => {
      await fixture.does((provider) => provider.scheduleDeletion(at(fixture.freshId)));
      expect(await get(fixture.freshId)).toMatchObject({ deletionScheduled: true, status: 'ready' });
      await fixture.pass(fixture.floorMs);
      expect(await failure((provider) => provider.getServer(at(fixture.freshId)))).toMatchObject({
        kind: 'gone',
      });
    },
  },
  {
    rule: 'external changes: a rename in the console is visible',
    proves: async ({ fixture, get }) => {
      fixture.meddler.rename(fixture.id, 'by-hand');
      expect((await get(fixture.id)).name).toBe('by-hand');
    },
  },
  {
    rule: 'external changes: a new server is neither delivered nor ready, and has no address to connect to',
    proves: async ({ fixture, get, list }) => {
      fixture.meddler.order('newcomer');
      const newcomer = (await list()).find((server) => server.name === 'newcomer');
      expect(newcomer).toMatchObject({ delivered: false, status: 'starting', ip: undefined });
      await fixture.pass(3_600_000);
      expect(await get(newcomer?.id ?? '')).toMatchObject({ delivered: true, status: 'ready' });
    },
  },
  {
    rule: 'external changes: an unknown status is not ready',
    proves: async ({ fixture, get }) => {
      fixture.meddler.setStatus(fixture.id, 'defragmenting');
      expect(await get(fixture.id)).toMatchObject({ status: 'unknown', statusText: 'defragmenting' });
    },
  },
  {
    rule: 'external changes: a server is not found through another zone',
    proves: async ({ fixture, failure }) => {
      const elsewhere = { zone: fixture.otherZone, id: fixture.id };
      expect(await failure((provider) => provider.getServer(elsewhere))).toMatchObject({ kind: 'gone' });
    },
  },
  {
    rule: 'outages: a zone that is down fails, and the other does not',
    proves: async ({ fixture, at, failure }) => {
      fixture.meddler.setZoneDown(fixture.zone, true);
      expect(await failure((provider) => provider.getServer(at(fixture.id)))).toMatchObject({
        kind: 'unavailable',
      });
      expect(await fixture.does((provider) => provider.listServers(fixture.otherZone))).not.toEqual([]);
    },
  },
  {
    rule: 'outages: a rate limit gives the time to retry, and no request is sent until then',
    proves: async ({ fixture, at, get, failure }) => {
      fixture.meddler.throttle(1000, '40');
      const limited = { kind: 'unavailable', reason: 'RateLimited', retryAt: expect.any(Number) } as const;
      expect(await failure((provider) => provider.getServer(at(fixture.id)))).toMatchObject(limited);
      await fixture.pass(10_000);
      expect(await failure((provider) => provider.getServer(at(fixture.id)))).toMatchObject(limited);
      await fixture.pass(31_000);
      expect((await get(fixture.id)).id).toBe(fixture.id);
    },
  },
  {
    rule: 'outages: a write with a lost answer took effect, and is reported as uncertain',
    proves: async ({ fixture, at, get, failure }) => {
      fixture.meddler.loseNextAnswer();
      expect(await failure((provider) => provider.rename(at(fixture.id), 'made-all-the-same'))).toMatchObject(
        {
          kind: 'unavailable',
          reason: 'OutcomeUnknown',
        },
      );
      expect((await get(fixture.id)).name).toBe('made-all-the-same');
    },
  },
  {
    rule: 'outages: a write that failed at the provider may have taken effect, and is reported as uncertain',
    proves: async ({ fixture, at, get, failure }) => {
      fixture.meddler.failNext();
      expect(await failure((provider) => provider.reinstall(at(fixture.id)))).toMatchObject({
        kind: 'unavailable',
        reason: 'ServerError',
      });
      await fixture.pass(5000);
      expect((await get(fixture.id)).status).toBe('ready');
    },
  },
  {
    rule: 'outages: a read with a lost answer is only unavailable',
    proves: async ({ fixture, at, failure }) => {
      fixture.meddler.loseNextAnswer();
      expect(await failure((provider) => provider.getServer(at(fixture.id)))).toMatchObject({
        kind: 'unavailable',
        reason: 'ProviderUnavailable',
      });
    },
  },
  {
    rule: 'keeps SSH keys: registered, listed, and deleted once',
    proves: async ({ fixture, failure }) => {
      const { sshKeys } = await fixture.does(async (provider) => provider);
      const key = await fixture.does(() => sshKeys.register({ name: 'fleet', publicKey }));
      expect(await fixture.does(() => sshKeys.list())).toEqual([{ id: key.id, name: 'fleet', publicKey }]);
      await fixture.does(() => sshKeys.delete(key.id));
      expect(await fixture.does(() => sshKeys.list())).toEqual([]);
      expect(await failure(() => sshKeys.delete(key.id))).toMatchObject({ kind: 'gone' });
    },
  },
  {
    rule: 'refuses ids that would change the path, before any request',
    proves: async ({ fixture, failure }) => {
      expect(
        await failure((provider) => provider.delete({ zone: fixture.zone, id: '../../servers' })),
      ).toMatchObject({
        kind: 'rejected',
        reason: 'InvalidArguments',
      });
    },
  },
];

function anySequoia(images: readonly OperatingSystem[]): OperatingSystem {
  const image = images.find(({ family }) => family === 'Sequoia');
  if (image === undefined) throw new Error('the fixture has no image of the family Sequoia');
  return image;
}
