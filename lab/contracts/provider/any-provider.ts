/** Rules of every provider, rented or owned. */
import { expect } from 'vitest';
import type { ContractCase } from './run-contract.ts';
import type { Fixture } from './harness.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

export const anyProviderCases: readonly ContractCase<Fixture>[] = [
  {
    rule: 'lists all servers of a zone, once each, as they are',
    proves: async ({ fixture, at, get, list }) => {
      const servers = await list();
      expect(new Set(servers.map(({ id }) => id)).size).toBe(fixture.count);
      expect(servers).toHaveLength(fixture.count);
      const listed = servers.find(({ id }) => id === fixture.id);
      expect(listed).toEqual(await get(fixture.id));
      expect(listed).toMatchObject({ ...at(fixture.id), status: 'ready', delivered: true });
    },
  },
  {
    rule: 'shows passwords only on request',
    proves: async ({ fixture, get }) => {
      const server = await get(fixture.id);
      const text = server.sudoPassword?.reveal() ?? '';
      expect(text).not.toBe('');
      expect(JSON.stringify(server)).not.toContain(text);
      expect([String(server.sudoPassword), String(server.vncUrl)].join(' ')).not.toContain(text);
    },
  },
  {
    rule: 'keeps a new name, in reads and listings',
    proves: async ({ fixture, at, get, list }) => {
      await fixture.does((provider) => provider.rename(at(fixture.id), 'another-name'));
      expect((await get(fixture.id)).name).toBe('another-name');
      const servers = await list();
      expect(servers.filter((server) => server.name === 'another-name').map(({ id }) => id)).toEqual([
        fixture.id,
      ]);
    },
  },
  {
    rule: 'reinstalls: not ready during the reinstall, and ready afterwards',
    proves: async ({ fixture, at, get }) => {
      await fixture.does((provider) => provider.reinstall(at(fixture.id)));
      await fixture.pass(5000);
      expect(await get(fixture.id)).toMatchObject({ status: 'reinstalling', delivered: true });
      await fixture.pass(fixture.reinstallMaxMs);
      expect((await get(fixture.id)).status).toBe('ready');
    },
  },
  {
    rule: 'refuses a reinstall during another reinstall',
    proves: async ({ fixture, at }) => {
      await fixture.does((provider) => provider.reinstall(at(fixture.id)));
      await expect(fixture.does((provider) => provider.reinstall(at(fixture.id)))).rejects.toMatchObject({
        kind: 'notYet',
        reason: 'TransientState',
      });
    },
  },
  {
    rule: 'can rename during a reinstall',
    proves: async ({ fixture, at, get }) => {
      await fixture.does((provider) => provider.reinstall(at(fixture.id)));
      await fixture.does((provider) => provider.rename(at(fixture.id), 'still-reinstalling'));
      expect((await get(fixture.id)).name).toBe('still-reinstalling');
    },
  },
  {
    rule: 'reports an unknown server as gone',
    proves: async ({ fixture }) => {
      const unknown = { zone: fixture.zone, id: unknownId };
      const gone = { kind: 'gone', reason: 'NotFound' };
      await expect(fixture.does((provider) => provider.getServer(unknown))).rejects.toMatchObject(gone);
      await expect(fixture.does((provider) => provider.rename(unknown, 'x'))).rejects.toMatchObject(gone);
      await expect(fixture.does((provider) => provider.reinstall(unknown))).rejects.toMatchObject(gone);
    },
  },
  {
    rule: 'does not treat an unknown zone as empty',
    proves: async ({ fixture }) => {
      await expect(fixture.does((provider) => provider.listServers('xx-yyy-9'))).rejects.toMatchObject({
        kind: 'unavailable',
        reason: 'NotFound',
      });
    },
  },
];
