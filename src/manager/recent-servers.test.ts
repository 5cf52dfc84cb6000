import { expect, it } from 'vitest';
import { HostStand } from '../../test/host-stand.ts';
import { RecentServers } from './recent-servers.ts';

it('says whether a server was read since a time, and forgets it after a minute', async () => {
  const { clock, provider, server, now } = new HostStand();
  const servers = new RecentServers(provider, now);
  const began = clock.now();
  expect(servers.wasReadSince(server.id, began)).toBe(false);
  await clock.pass(1000);
  servers.note(server);
  expect([began, clock.now(), clock.now() + 1].map((at) => servers.wasReadSince(server.id, at))).toEqual([
    true,
    true,
    false,
  ]);
  await clock.pass(61_000);
  await servers.get(server);
  expect(servers.wasReadSince(server.id, began)).toBe(false);
});
