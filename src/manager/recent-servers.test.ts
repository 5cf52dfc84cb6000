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
