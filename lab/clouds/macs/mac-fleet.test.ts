/** Simulated Macs behind the servers of the simulated Scaleway. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../harness/test-clock.ts';
import { anyRandom, wallClock } from '../../harness/wall-clock.ts';
import { Cloud } from '../scaleway/cloud.ts';
import { makeHostKey } from './host-key.ts';
import { MacFleet } from './mac-fleet.ts';
import { TestClient } from './test-mac.ts';

const opened: MacFleet[] = [];
afterEach(async () => {
  for (const fleet of opened.splice(0)) await fleet.close();
});

const userKey = makeHostKey();

function open() {
  const clock = new TestClock(1_700_000_000_000);
  const cloud = new Cloud(
    { zones: ['fr-par-1'], hosts: 3, project: 'p' },
    { clock, random: () => anyRandom },
  );
  const keys = [userKey.publicKey];
  const ports = {
    clock: wallClock,
    random: anyRandom,
    servers: () => cloud.macs,
    authorizedKeys: () => keys,
  };
  const fleet = new MacFleet(ports);
  opened.push(fleet);
  const [server] = cloud.macs;
  if (server === undefined) throw new Error('the cloud is empty');
  return { clock, cloud, fleet, server, keys };
}

async function run(fleet: MacFleet, address: string, script: string): Promise<string> {
  const sock = fleet.connect(address);
  await once(sock, 'connect');
  const client = await TestClient.connect(0, { sock, privateKey: userKey.privateKey });
  try {
    return (await client.run(script)).stdout;
  } finally {
    client.close();
  }
}

describe('the address of a server', () => {
  it('leads to its Mac, which has the password of the server', async () => {
    const { fleet, server } = open();
    const address = fleet.addressOf(server.id);
    expect(address).toMatch(/^198\.1[89]\./);
    expect(await fleet.resolve(address)).toEqual({
      host: '127.0.0.1',
      port: (await fleet.mac(server.id)).port,
    });
    expect((await fleet.mac(server.id)).password).toBe(server.password);
    expect(await run(fleet, address, 'echo "$SSH_CONNECTION"')).toContain(` ${address} 22\n`);
  });

  it('leads to the same Mac every time, and another server has another', async () => {
    const { fleet, cloud, server } = open();
    const [first, again] = await Promise.all([fleet.mac(server.id), fleet.mac(server.id)]);
    expect(first).toBe(again);
    expect(await fleet.mac(cloud.macs[1]?.id ?? '')).not.toBe(first);
  });

  it('leads nowhere while the server is busy, and where there is no server', async () => {
    const { fleet, cloud, server } = open();
    cloud.handle({ what: 'reboot server', zone: server.zone, id: server.id });
    expect(await fleet.resolve(server.ip)).toBeUndefined();
    await expect(once(fleet.connect(server.ip), 'connect')).rejects.toThrow('EHOSTUNREACH');
    await expect(once(fleet.connect('198.18.0.0'), 'connect')).rejects.toThrow('EHOSTUNREACH');
    await expect(fleet.mac('none')).rejects.toThrow('no server none');
  });
});

describe('a reinstall of a server', () => {
  it('gives its Mac another host key, the new password and the keys of the project', async () => {
    const { fleet, cloud, clock, server, keys } = open();
    const mac = await fleet.mac(server.id);
    const { hostKey, password } = mac;
    await run(fleet, server.ip, 'touch residue');
    keys.push(makeHostKey().publicKey);
    cloud.handle({ what: 'reinstall server', zone: server.zone, id: server.id });
    await clock.pass(3_600_000);
    const [now] = cloud.macs;
    expect(now?.wipes).toBe(1);
    await fleet.reinstalled(server.id);
    expect(mac.hostKey).not.toBe(hostKey);
    expect(mac.password).toBe(now?.password);
    expect(mac.password).not.toBe(password);
    expect(await run(fleet, fleet.addressOf(server.id), 'ls')).toBe('');
  });

  it('of a server whose Mac nobody asked for needs nothing', async () => {
    const { fleet, server } = open();
    await fleet.reinstalled(server.id);
    await fleet.rebooted(server.id);
    expect(await run(fleet, server.ip, 'echo new')).toBe('new\n');
  });
});

it('passes a reboot on', async () => {
  const { fleet, server } = open();
  const mac = await fleet.mac(server.id);
  const { bootId } = mac;
  await fleet.rebooted(server.id);
  expect(mac.bootId).not.toBe(bootId);
});
