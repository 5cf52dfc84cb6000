import { expect, it } from 'vitest';
import { HostStand } from '../../test/host-stand.ts';
import { RecentServers } from './recent-servers.ts';

it('tells a server that was read since a time, and forgets it after a minute', async () => {
  const { clock, provider, server, now } = new HostStand();
  const servers = new RecentServers(provider, now);
  const began = clock.now();
  expect(servers.readSince(server.id, began)).toBeUndefined();
  await clock.pass(1000);
  servers.note(server);
  expect([began, clock.now(), clock.now() + 1].map((at) => servers.readSince(server.id, at))).toEqual([
    server,
    server,
    undefined,
  ]);
  await clock.pass(61_000);
  await servers.get(server);
  expect(servers.readSince(server.id, began)).toBeUndefined();
});
