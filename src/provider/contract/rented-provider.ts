/** What a provider that rents servers out does beyond that, and how its bad days look from above. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newestOfFamily } from '../os-families.ts';
import type { Provider, Server } from '../port.ts';
import type { RentedStage } from './stage.ts';

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ';

export function describeRentedProvider(name: string, open: () => Promise<RentedStage>): void {
  let stage: RentedStage;
  const at = (id: string): { zone: string; id: string } => ({ zone: stage.zone, id });
  const get = (id: string): Promise<Server> => stage.does((provider) => provider.getServer(at(id)));
  const list = (): Promise<readonly Server[]> => stage.does((provider) => provider.listServers(stage.zone));
  const failure = (call: (provider: Provider) => Promise<unknown>): Promise<unknown> =>
    stage.does(call).then(
      () => 'it did not fail',
      (error: unknown) => error,
    );

  describe(`${name}, as a provider that rents`, () => {
    beforeEach(async () => {
      stage = await open();
    });
    afterEach(() => stage.close());

    describe('a listing', () => {
      it('is in the order of creation', async () => {
        expect((await list()).map(({ id }) => id)).toEqual(stage.ids);
      });

      it('misses nobody when one leaves and another comes between two pages', async () => {
        const [first = '', ...others] = stage.ids;
        stage.meddler.afterNextPage(() => {
          stage.meddler.remove(first);
          stage.meddler.order('newcomer');
        });
        const ids = (await list()).map(({ id }) => id);
        expect(ids).toEqual(expect.arrayContaining([...others]));
      });

      it('of one zone has nothing of another', async () => {
        const others = await stage.does((provider) => provider.listServers(stage.otherZone));
        expect(others.filter(({ id }) => stage.ids.includes(id))).toEqual([]);
      });

      it('fails whole when one of its pages fails', async () => {
        stage.meddler.afterNextPage(() => stage.meddler.setZoneDown(stage.zone, true));
        expect(await failure((provider) => provider.listServers(stage.zone))).toMatchObject({
          kind: 'unavailable',
          reason: 'ProviderUnavailable',
        });
      });

      it('that is denied is a failure, while reading one is not', async () => {
        stage.meddler.setDenied('list servers', true);
        expect(await failure((provider) => provider.listServers(stage.zone))).toMatchObject({
          kind: 'rejected',
          reason: 'PermissionDenied',
        });
        expect((await get(stage.id)).id).toBe(stage.id);
      });
    });

    describe('a reinstall', () => {
      it('wipes the disk, changes the host key, and takes the image that was asked for', async () => {
        const images = await stage.does((provider) => provider.listOs(stage.zone, 'M2-L'));
        const image = newestOfFamily(images, 'Sequoia');
        stage.meddler.leave(stage.id, 'a key of a tenant');
        const keyBefore = stage.meddler.hostKeyOf(stage.id);
        await stage.does((provider) => provider.reinstall(at(stage.id), image.id));
        expect(stage.meddler.residueOf(stage.id)).toEqual(['a key of a tenant']);
        await stage.pass(stage.reinstallMaxMs + 5000);
        expect(stage.meddler.residueOf(stage.id)).toEqual([]);
        expect(stage.meddler.hostKeyOf(stage.id)).not.toBe(keyBefore);
        expect(await get(stage.id)).toMatchObject({ status: 'ready', os: image });
      });

      it('onto an image that was retired is refused, and does not mean that the server is gone', async () => {
        const images = await stage.does((provider) => provider.listOs(stage.zone, 'M2-L'));
        const image = newestOfFamily(images, 'Sequoia');
        stage.meddler.retireOs(image.name);
        const refused = { kind: 'rejected', reason: 'OSNotPublished' } as const;
        expect(await failure((provider) => provider.reinstall(at(stage.id), image.id))).toMatchObject(
          refused,
        );
        expect(await failure((provider) => provider.reinstall(at(stage.id), 'nonsense'))).toMatchObject(
          refused,
        );
        const left = await stage.does((provider) => provider.listOs(stage.zone, 'M2-L'));
        expect(left.map(({ id }) => id)).not.toContain(image.id);
        expect((await get(stage.id)).status).toBe('ready');
      });

      it('may never end', async () => {
        stage.meddler.stall(stage.id);
        await stage.does((provider) => provider.reinstall(at(stage.id)));
        await stage.pass(100 * stage.reinstallMaxMs);
        expect((await get(stage.id)).status).toBe('reinstalling');
      });
    });

    it('reboots: not ready while it lasts, nothing is wiped, and ready when it is over', async () => {
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
    });

    describe('the end of a rent', () => {
      it('comes at once where its minimum time is over', async () => {
        await stage.does((provider) => provider.delete(at(stage.id)));
        expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject({ kind: 'gone' });
        expect(await failure((provider) => provider.delete(at(stage.id)))).toMatchObject({ kind: 'gone' });
        expect((await list()).map(({ id }) => id)).not.toContain(stage.id);
      });

      it('is refused before that, each time, in whichever shape', async () => {
        const { deletableAt = 0 } = await get(stage.freshId);
        for (let turn = 0; turn < 12; turn += 1)
          expect(await failure((provider) => provider.delete(at(stage.freshId)))).toMatchObject({
            kind: 'notYet',
            reason: 'BillingFloor',
            retryAt: expect.any(Number),
          });
        expect(deletableAt).toBeGreaterThan(0);
      });

      it('can be scheduled before that, and comes when it may', async () => {
        await stage.does((provider) => provider.scheduleDeletion(at(stage.freshId)));
        expect(await get(stage.freshId)).toMatchObject({ deletionScheduled: true, status: 'ready' });
        await stage.pass(stage.floorMs);
        expect(await failure((provider) => provider.getServer(at(stage.freshId)))).toMatchObject({
          kind: 'gone',
        });
      });
    });

    describe('what others do', () => {
      it('a rename in the console is seen', async () => {
        stage.meddler.rename(stage.id, 'by-hand');
        expect((await get(stage.id)).name).toBe('by-hand');
      });

      it('a new server is neither delivered nor ready, and has no address to connect to', async () => {
        stage.meddler.order('newcomer');
        const newcomer = (await list()).find((server) => server.name === 'newcomer');
        expect(newcomer).toMatchObject({ delivered: false, status: 'starting', ip: undefined });
        await stage.pass(3_600_000);
        expect(await get(newcomer?.id ?? '')).toMatchObject({ delivered: true, status: 'ready' });
      });

      it('a status that nobody knows is not ready', async () => {
        stage.meddler.setStatus(stage.id, 'defragmenting');
        expect(await get(stage.id)).toMatchObject({ status: 'unknown', statusText: 'defragmenting' });
      });

      it('a server is not found through another zone', async () => {
        const elsewhere = { zone: stage.otherZone, id: stage.id };
        expect(await failure((provider) => provider.getServer(elsewhere))).toMatchObject({ kind: 'gone' });
      });
    });

    describe('bad days', () => {
      it('a zone that is down fails, and the other does not', async () => {
        stage.meddler.setZoneDown(stage.zone, true);
        expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject({
          kind: 'unavailable',
        });
        expect(await stage.does((provider) => provider.listServers(stage.otherZone))).not.toEqual([]);
      });

      it('too many requests are told with the time to come back, and until then nothing is asked', async () => {
        stage.meddler.throttle(1000, '40');
        const limited = { kind: 'unavailable', reason: 'RateLimited', retryAt: expect.any(Number) } as const;
        expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject(limited);
        await stage.pass(10_000);
        expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject(limited);
        await stage.pass(31_000);
        expect((await get(stage.id)).id).toBe(stage.id);
      });

      it('a write whose answer is lost was made, and says that nobody knows', async () => {
        stage.meddler.loseNextAnswer();
        expect(await failure((provider) => provider.rename(at(stage.id), 'made-all-the-same'))).toMatchObject(
          {
            kind: 'unavailable',
            reason: 'OutcomeUnknown',
          },
        );
        expect((await get(stage.id)).name).toBe('made-all-the-same');
      });

      it('a write that the provider failed may have been made as well, and says so', async () => {
        stage.meddler.failNext();
        expect(await failure((provider) => provider.reinstall(at(stage.id)))).toMatchObject({
          kind: 'unavailable',
          reason: 'OutcomeUnknown',
        });
        await stage.pass(5000);
        expect((await get(stage.id)).status).toBe('ready');
      });

      it('a read whose answer is lost is only unavailable', async () => {
        stage.meddler.loseNextAnswer();
        expect(await failure((provider) => provider.getServer(at(stage.id)))).toMatchObject({
          kind: 'unavailable',
          reason: 'ProviderUnavailable',
        });
      });
    });

    it('keeps SSH keys: registered, listed, and deleted once', async () => {
      const { sshKeys } = await stage.does(async (provider) => provider);
      const key = await stage.does(() => sshKeys.register({ name: 'fleet', publicKey }));
      expect(await stage.does(() => sshKeys.list())).toEqual([{ id: key.id, name: 'fleet', publicKey }]);
      await stage.does(() => sshKeys.delete(key.id));
      expect(await stage.does(() => sshKeys.list())).toEqual([]);
      expect(await failure(() => sshKeys.delete(key.id))).toMatchObject({ kind: 'gone' });
    });

    it('refuses ids that would lead elsewhere, before anything is asked', async () => {
      expect(
        await failure((provider) => provider.delete({ zone: stage.zone, id: '../../servers' })),
      ).toMatchObject({
        kind: 'rejected',
        reason: 'InvalidArguments',
      });
    });
  });
}
