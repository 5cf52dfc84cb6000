/** What a provider that rents servers out does beyond that, and how its bad days look from above. */
import { expect } from 'vitest';
import type { OperatingSystem } from '../port.ts';
import type { ContractCase } from './run-contract.ts';
import type { RentedStage } from './stage.ts';

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ';

export const rentedProviderCases: readonly ContractCase<RentedStage>[] = [
  {
    rule: 'a listing: is in the order of creation',
    proves: async ({ stage, list }) => {
      expect((await list()).map(({ id }) => id)).toEqual(stage.ids);
    },
  },
  {
    rule: 'a listing: misses nobody when one leaves and another comes between two pages',
    proves: async ({ stage, list }) => {
      const [first = '', ...others] = stage.ids;
      stage.meddler.afterNextPage(() => {
        stage.meddler.remove(first);
        stage.meddler.order('newcomer');
      });
      const ids = (await list()).map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining([...others]));
    },
  },
  {
    rule: 'a listing: of one zone has nothing of another',
    proves: async ({ stage }) => {
      const others = await stage.does((provider) => provider.listServers(stage.otherZone));
      expect(others.filter(({ id }) => stage.ids.includes(id))).toEqual([]);
    },
  },
  {
    rule: 'a listing: fails whole when one of its pages fails',
    proves: async ({ stage, failure }) => {
      stage.meddler.afterNextPage(() => stage.meddler.setZoneDown(stage.zone, true));
      expect(await failure((provider) => provider.listServers(stage.zone))).toMatchObject({
        kind: 'unavailable',
        reason: 'ProviderUnavailable',
      });
    },
  },
  {
    rule: 'a listing: that is denied is a failure, while reading one is not',
    proves: async ({ stage, get, failure }) => {
      stage.meddler.setDenied('list servers', true);
      expect(await failure((provider) => provider.listServers(stage.zone))).toMatchObject({
        kind: 'rejected',
        reason: 'PermissionDenied',
      });
      expect((await get(stage.id)).id).toBe(stage.id);
    },
  },
  {
    rule: 'a reinstall: wipes the disk, changes the host key, and takes the image that was asked for',
    proves: async ({ stage, at, get }) => {
      const images = await stage.does((provider) => provider.listOs(stage.zone, 'M2-L'));
      const image = anySequoia(images);
      stage.meddler.leave(stage.id, 'a key of a tenant');
      const keyBefore = stage.meddler.hostKeyOf(stage.id);
      await stage.does((provider) => provider.reinstall(at(stage.id), image.id));
      expect(stage.meddler.residueOf(stage.id)).toEqual(['a key of a tenant']);
      await stage.pass(stage.reinstallMaxMs + 5000);
      expect(stage.meddler.residueOf(stage.id)).toEqual([]);
      expect(stage.meddler.hostKeyOf(stage.id)).not.toBe(keyBefore);
      expect(await get(stage.id)).toMatchObject({ status: 'ready', os: image });
    },
  },
  {
    rule: 'a reinstall: onto an image that was retired is refused, and does not mean that the server is gone',
    proves: async ({ stage, at, get, failure }) => {
      const images = await stage.does((provider) => provider.listOs(stage.zone, 'M2-L'));
      const image = anySequoia(images);
      stage.meddler.retireOs(image.name);
      const refused = { kind: 'rejected', reason: 'OSNotPublished' } as const;
      expect(await failure((provider) => provider.reinstall(at(stage.id), image.id))).toMatchObject(refused);
      expect(await failure((provider) => provider.reinstall(at(stage.id), 'nonsense'))).toMatchObject(
        refused,
      );
      const left = await stage.does((provider) => provider.listOs(stage.zone, 'M2-L'));
      expect(left.map(({ id }) => id)).not.toContain(image.id);
      expect((await get(stage.id)).status).toBe('ready');
    },
  },
  {
    rule: 'a reinstall: may never end',
    proves: async ({ stage, at, get }) => {
      stage.meddler.stall(stage.id);
      await stage.does((provider) => provider.reinstall(at(stage.id)));
      await stage.pass(100 * stage.reinstallMaxMs);
      expect((await get(stage.id)).status).toBe('reinstalling');
    },
  },
  {
    rule: 'reboots: not ready while it lasts, nothing is wiped, and ready when it is over',
    proves: async ({ stage, at, get, failure }) => {
      stage.meddler.leave(stage.id, 'a file');
      await stage.does((provider) => provider.reboot(at(stage.id)));
      await stage.pass(5000);
      expect((await get(stage.id)).status).toBe('rebooting');
      expect(await failure((provider) => provider.reinstall(at(stage.id)))).toMatchObject({
        kind: 'notYet',
        reason: 'TransientState',
      });
      await stage.pass(3_600_000);
      expect((await get(stage.id)).status).toBe('ready');
      expect(stage.meddler.residueOf(stage.id)).toEqual(['a file']);
    },
  },
  {
    rule: 'the end of a rent: comes at once where its minimum time is over',
    proves: async ({ stage, at, list, failure }) => {
      await stage.does((provider) => provider.delete(at(stage.id)));
      expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject({ kind: 'gone' });
      expect(await failure((provider) => provider.delete(at(stage.id)))).toMatchObject({ kind: 'gone' });
      expect((await list()).map(({ id }) => id)).not.toContain(stage.id);
    },
  },
  {
    rule: 'the end of a rent: is refused before that, each time, in whichever shape',
    proves: async ({ stage, at, get, failure }) => {
      const { deletableAt = 0 } = await get(stage.freshId);
      for (let turn = 0; turn < 12; turn += 1)
        expect(await failure((provider) => provider.delete(at(stage.freshId)))).toMatchObject({
          kind: 'notYet',
          reason: 'BillingFloor',
          retryAt: expect.any(Number),
        });
      expect(deletableAt).toBeGreaterThan(0);
    },
  },
  {
    rule: 'the end of a rent: can be scheduled before that, and comes when it may',
    proves: async ({ stage, at, get, failure }) => {
      await stage.does((provider) => provider.scheduleDeletion(at(stage.freshId)));
      expect(await get(stage.freshId)).toMatchObject({ deletionScheduled: true, status: 'ready' });
      await stage.pass(stage.floorMs);
      expect(await failure((provider) => provider.getServer(at(stage.freshId)))).toMatchObject({
        kind: 'gone',
      });
    },
  },
  {
    rule: 'what others do: a rename in the console is seen',
    proves: async ({ stage, get }) => {
      stage.meddler.rename(stage.id, 'by-hand');
      expect((await get(stage.id)).name).toBe('by-hand');
    },
  },
  {
    rule: 'what others do: a new server is neither delivered nor ready, and has no address to connect to',
    proves: async ({ stage, get, list }) => {
      stage.meddler.order('newcomer');
      const newcomer = (await list()).find((server) => server.name === 'newcomer');
      expect(newcomer).toMatchObject({ delivered: false, status: 'starting', ip: undefined });
      await stage.pass(3_600_000);
      expect(await get(newcomer?.id ?? '')).toMatchObject({ delivered: true, status: 'ready' });
    },
  },
  {
    rule: 'what others do: a status that nobody knows is not ready',
    proves: async ({ stage, get }) => {
      stage.meddler.setStatus(stage.id, 'defragmenting');
      expect(await get(stage.id)).toMatchObject({ status: 'unknown', statusText: 'defragmenting' });
    },
  },
  {
    rule: 'what others do: a server is not found through another zone',
    proves: async ({ stage, failure }) => {
      const elsewhere = { zone: stage.otherZone, id: stage.id };
      expect(await failure((provider) => provider.getServer(elsewhere))).toMatchObject({ kind: 'gone' });
    },
  },
  {
    rule: 'bad days: a zone that is down fails, and the other does not',
    proves: async ({ stage, at, failure }) => {
      stage.meddler.setZoneDown(stage.zone, true);
      expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject({
        kind: 'unavailable',
      });
      expect(await stage.does((provider) => provider.listServers(stage.otherZone))).not.toEqual([]);
    },
  },
  {
    rule: 'bad days: too many requests are told with the time to come back, and until then nothing is asked',
    proves: async ({ stage, at, get, failure }) => {
      stage.meddler.throttle(1000, '40');
      const limited = { kind: 'unavailable', reason: 'RateLimited', retryAt: expect.any(Number) } as const;
      expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject(limited);
      await stage.pass(10_000);
      expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject(limited);
      await stage.pass(31_000);
      expect((await get(stage.id)).id).toBe(stage.id);
    },
  },
  {
    rule: 'bad days: a write whose answer is lost was made, and says that nobody knows',
    proves: async ({ stage, at, get, failure }) => {
      stage.meddler.loseNextAnswer();
      expect(await failure((provider) => provider.rename(at(stage.id), 'made-all-the-same'))).toMatchObject({
        kind: 'unavailable',
        reason: 'OutcomeUnknown',
      });
      expect((await get(stage.id)).name).toBe('made-all-the-same');
    },
  },
  {
    rule: 'bad days: a write that the provider failed may have been made as well, and says so',
    proves: async ({ stage, at, get, failure }) => {
      stage.meddler.failNext();
      expect(await failure((provider) => provider.reinstall(at(stage.id)))).toMatchObject({
        kind: 'unavailable',
        reason: 'ServerError',
      });
      await stage.pass(5000);
      expect((await get(stage.id)).status).toBe('ready');
    },
  },
  {
    rule: 'bad days: a read whose answer is lost is only unavailable',
    proves: async ({ stage, at, failure }) => {
      stage.meddler.loseNextAnswer();
      expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject({
        kind: 'unavailable',
        reason: 'ProviderUnavailable',
      });
    },
  },
  {
    rule: 'keeps SSH keys: registered, listed, and deleted once',
    proves: async ({ stage, failure }) => {
      const { sshKeys } = await stage.does(async (provider) => provider);
      const key = await stage.does(() => sshKeys.register({ name: 'fleet', publicKey }));
      expect(await stage.does(() => sshKeys.list())).toEqual([{ id: key.id, name: 'fleet', publicKey }]);
      await stage.does(() => sshKeys.delete(key.id));
      expect(await stage.does(() => sshKeys.list())).toEqual([]);
      expect(await failure(() => sshKeys.delete(key.id))).toMatchObject({ kind: 'gone' });
    },
  },
  {
    rule: 'refuses ids that would lead elsewhere, before anything is asked',
    proves: async ({ stage, failure }) => {
      expect(
        await failure((provider) => provider.delete({ zone: stage.zone, id: '../../servers' })),
      ).toMatchObject({
        kind: 'rejected',
        reason: 'InvalidArguments',
      });
    },
  },
];

function anySequoia(images: readonly OperatingSystem[]): OperatingSystem {
  const image = images.find(({ family }) => family === 'Sequoia');
  if (image === undefined) throw new Error('the stage offers an image of the family Sequoia');
  return image;
}
