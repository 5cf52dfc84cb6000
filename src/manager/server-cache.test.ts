import { expect, it } from 'vitest';
import { HostHarness } from '../../lab/harness/host-harness.ts';
import { RecentServers } from './server-cache.ts';

it('returns a server that was read since a time, and drops it after a minute', async () => {
  const { clock, provider, server, now } = new HostHarness();
  const servers = new RecentServers(provider, now);
  const began = clock.now();
  const reported = (since: number) => servers.readSince(server.id, since)?.server;
  expect(reported(began)).toBeUndefined();
  await clock.pass(1000);
  servers.note(server);
  expect([began, clock.now(), clock.now() + 1].map(reported)).toEqual([server, server, undefined]);
  await clock.pass(61_000);
  await servers.get(server);
  expect(reported(began)).toBeUndefined();
});

it('drops only reads made before the clock was set back', async () => {
  const harness = new HostHarness();
  const before = harness.server;
  let now = 3_600_000;
  const servers = new RecentServers(harness.provider, () => now);
  servers.note(before);
  now -= 1;
  expect(servers.readSince(before.id, 0)).toBeUndefined();
  now += 1;
  expect(servers.readSince(before.id, 0)).toBeUndefined();
  servers.note(before);
  now = 5000;
  const other = { ...before, id: 'other' };
  servers.note(other);
  harness.server = { ...before, name: 'first-1' };
  expect([await servers.get(before), await servers.get(other)]).toEqual([harness.server, other]);
  now += 60_001;
  expect(servers.readSince('other', 0)).toBeUndefined();
});

it('a read is stale after a request that changes the server, until the next read', async () => {
  const harness = new HostHarness();
  const { provider, server: before, now } = harness;
  const servers = new RecentServers(provider, now);
  const isCurrent = () => servers.readSince(before.id, now())?.isCurrent;
  servers.touch(before);
  expect(isCurrent()).toBeUndefined();
  servers.note(before);
  harness.server = { ...before, name: 'first-1' };
  expect([isCurrent(), await servers.get(before)]).toEqual([true, before]);
  servers.touch(before);
  expect([isCurrent(), await servers.get(before)]).toEqual([false, harness.server]);
  servers.note(harness.server);
  expect([isCurrent(), await servers.get(before)]).toEqual([true, harness.server]);
});
