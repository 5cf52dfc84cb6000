/** What every provider does, rented or owned. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Server } from '../port.ts';
import type { Stage } from './stage.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

export function describeAnyProvider(name: string, open: () => Promise<Stage>): void {
  describe(`${name}, as any provider`, () => {
    let stage: Stage;
    beforeEach(async () => {
      stage = await open();
    });
    afterEach(() => stage.close());

    const address = (): { zone: string; id: string } => ({ zone: stage.zone, id: stage.id });
    const get = (): Promise<Server> => stage.does((provider) => provider.getServer(address()));

    it('lists all servers of a zone, once each, as they are', async () => {
      const servers = await stage.does((provider) => provider.listServers(stage.zone));
      expect(new Set(servers.map(({ id }) => id)).size).toBe(stage.count);
      expect(servers).toHaveLength(stage.count);
      const listed = servers.find(({ id }) => id === stage.id);
      expect(listed).toEqual(await get());
      expect(listed).toMatchObject({ ...address(), status: 'ready', delivered: true });
    });

    it('shows passwords to nobody who does not ask for them', async () => {
      const server = await get();
      const text = server.sudoPassword?.reveal() ?? '';
      expect(text).not.toBe('');
      expect(JSON.stringify(server)).not.toContain(text);
      expect([String(server.sudoPassword), String(server.vncUrl)].join(' ')).not.toContain(text);
    });

    it('keeps a new name, for readers and listings', async () => {
      await stage.does((provider) => provider.rename(address(), 'another-name'));
      expect((await get()).name).toBe('another-name');
      const servers = await stage.does((provider) => provider.listServers(stage.zone));
      expect(servers.filter((server) => server.name === 'another-name').map(({ id }) => id)).toEqual([
        stage.id,
      ]);
    });

    it('reinstalls: not ready while it lasts, and ready when it is over', async () => {
      await stage.does((provider) => provider.reinstall(address()));
      await stage.pass(5000);
      expect(await get()).toMatchObject({ status: 'reinstalling', delivered: true });
      await stage.pass(stage.reinstallMaxMs);
      expect((await get()).status).toBe('ready');
    });

    it('refuses to begin a reinstall in the middle of one', async () => {
      await stage.does((provider) => provider.reinstall(address()));
      await expect(stage.does((provider) => provider.reinstall(address()))).rejects.toMatchObject({
        kind: 'notYet',
        reason: 'TransientState',
      });
    });

    it('can rename in the middle of a reinstall', async () => {
      await stage.does((provider) => provider.reinstall(address()));
      await stage.does((provider) => provider.rename(address(), 'still-reinstalling'));
      expect((await get()).name).toBe('still-reinstalling');
    });

    it('says of a server that it does not know that it is gone', async () => {
      const unknown = { zone: stage.zone, id: unknownId };
      const gone = { kind: 'gone', reason: 'NotFound' };
      await expect(stage.does((provider) => provider.getServer(unknown))).rejects.toMatchObject(gone);
      await expect(stage.does((provider) => provider.rename(unknown, 'x'))).rejects.toMatchObject(gone);
      await expect(stage.does((provider) => provider.reinstall(unknown))).rejects.toMatchObject(gone);
    });

    it('does not take a zone that it does not know for an empty one', async () => {
      await expect(stage.does((provider) => provider.listServers('xx-yyy-9'))).rejects.toMatchObject({
        kind: 'unavailable',
        reason: 'NotFound',
      });
    });
  });
}
