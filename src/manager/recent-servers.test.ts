import { expect, it } from 'vitest';
import { HostStand } from '../../test/host-stand.ts';
import { RecentServers } from './recent-servers.ts';

it('tells a server that was read since a time, and forgets it after a minute', async () => {
  const { clock, provider, server, now } = new HostStand();
  const servers = new RecentServers(provider, now);
  const began = clock.now();
  const told = (since: number) => servers.readSince(server.id, since)?.server;
  expect(told(began)).toBeUndefined();
  await clock.pass(1000);
  servers.note(server);
  expect([began, clock.now(), clock.now() + 1].map(told)).toEqual([server, server, undefined]);
  await clock.pass(61_000);
  await servers.get(server);
  expect(told(began)).toBeUndefined();
});

it('forgets what was read before the clock was set back, and only that', async () => {
  const stand = new HostStand();
  const before = stand.server;
  let now = 3_600_000;
  const servers = new RecentServers(stand.provider, () => now);
  servers.note(before);
  now -= 1;
  expect(servers.readSince(before.id, 0)).toBeUndefined();
  now += 1;
  expect(servers.readSince(before.id, 0)).toBeUndefined();
  servers.note(before);
  now = 5000;
  const other = { ...before, id: 'other' };
  servers.note(other);
  stand.server = { ...before, name: 'first-1' };
  expect([await servers.get(before), await servers.get(other)]).toEqual([stand.server, other]);
  now += 60_001;
  expect(servers.readSince('other', 0)).toBeUndefined();
});

it('a server of which something was asked is not what was read before, until it is read again', async () => {
  const stand = new HostStand();
  const { provider, server: before, now } = stand;
  const servers = new RecentServers(provider, now);
  const isCurrent = () => servers.readSince(before.id, now())?.isCurrent;
  servers.touch(before);
  expect(isCurrent()).toBeUndefined();
  servers.note(before);
  stand.server = { ...before, name: 'first-1' };
  expect([isCurrent(), await servers.get(before)]).toEqual([true, before]);
  servers.touch(before);
  expect([isCurrent(), await servers.get(before)]).toEqual([false, stand.server]);
  servers.note(stand.server);
  expect([isCurrent(), await servers.get(before)]).toEqual([true, stand.server]);
});
