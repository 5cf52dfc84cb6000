/** What every provider does, rented or owned. */
import { expect } from 'vitest';
import type { ContractCase } from './run-contract.ts';
import type { Stage } from './stage.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

export const anyProviderCases: readonly ContractCase<Stage>[] = [
  {
    rule: 'lists all servers of a zone, once each, as they are',
    proves: async ({ stage, at, get, list }) => {
      const servers = await list();
      expect(new Set(servers.map(({ id }) => id)).size).toBe(stage.count);
      expect(servers).toHaveLength(stage.count);
      const listed = servers.find(({ id }) => id === stage.id);
      expect(listed).toEqual(await get(stage.id));
      expect(listed).toMatchObject({ ...at(stage.id), status: 'ready', delivered: true });
    },
  },
  {
    rule: 'shows passwords to nobody who does not ask for them',
    proves: async ({ stage, get }) => {
      const server = await get(stage.id);
      const text = server.sudoPassword?.reveal() ?? '';
      expect(text).not.toBe('');
      expect(JSON.stringify(server)).not.toContain(text);
      expect([String(server.sudoPassword), String(server.vncUrl)].join(' ')).not.toContain(text);
    },
  },
  {
    rule: 'keeps a new name, for readers and listings',
    proves: async ({ stage, at, get, list }) => {
      await stage.does((provider) => provider.rename(at(stage.id), 'another-name'));
      expect((await get(stage.id)).name).toBe('another-name');
      const servers = await list();
      expect(servers.filter((server) => server.name === 'another-name').map(({ id }) => id)).toEqual([
        stage.id,
      ]);
    },
  },
  {
    rule: 'reinstalls: not ready while it lasts, and ready when it is over',
    proves: async ({ stage, at, get }) => {
      await stage.does((provider) => provider.reinstall(at(stage.id)));
      await stage.pass(5000);
      expect(await get(stage.id)).toMatchObject({ status: 'reinstalling', delivered: true });
      await stage.pass(stage.reinstallMaxMs);
      expect((await get(stage.id)).status).toBe('ready');
    },
  },
  {
    rule: 'refuses to begin a reinstall in the middle of one',
    proves: async ({ stage, at }) => {
      await stage.does((provider) => provider.reinstall(at(stage.id)));
      await expect(stage.does((provider) => provider.reinstall(at(stage.id)))).rejects.toMatchObject({
        kind: 'notYet',
        reason: 'TransientState',
      });
    },
  },
  {
    rule: 'can rename in the middle of a reinstall',
    proves: async ({ stage, at, get }) => {
      await stage.does((provider) => provider.reinstall(at(stage.id)));
      await stage.does((provider) => provider.rename(at(stage.id), 'still-reinstalling'));
      expect((await get(stage.id)).name).toBe('still-reinstalling');
    },
  },
  {
    rule: 'says of a server that it does not know that it is gone',
    proves: async ({ stage }) => {
      const unknown = { zone: stage.zone, id: unknownId };
      const gone = { kind: 'gone', reason: 'NotFound' };
      await expect(stage.does((provider) => provider.getServer(unknown))).rejects.toMatchObject(gone);
      await expect(stage.does((provider) => provider.rename(unknown, 'x'))).rejects.toMatchObject(gone);
      await expect(stage.does((provider) => provider.reinstall(unknown))).rejects.toMatchObject(gone);
    },
  },
  {
    rule: 'does not take a zone that it does not know for an empty one',
    proves: async ({ stage }) => {
      await expect(stage.does((provider) => provider.listServers('xx-yyy-9'))).rejects.toMatchObject({
        kind: 'unavailable',
        reason: 'NotFound',
      });
    },
  },
];
