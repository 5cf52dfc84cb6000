/** How a virtual Mac gets the DNS of the cluster, in a folder that replaces its disk. */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuestMachine, type GuestProgram } from './guest-machine.ts';
import { shellsHere } from './shells.ts';

const share = 'Volumes/My Shared Files/env/tuist.env';
const long = 'a'.repeat(63);

describe.each(shellsHere())('cluster-dns, run by $name', (shell) => {
  let machine: GuestMachine;
  beforeEach(async () => {
    machine = await GuestMachine.open(shell);
  });
  afterEach(() => machine.close());

  /** Runs after the host has shared these lines. */
  async function start(...lines: readonly string[]): Promise<GuestProgram> {
    await machine.write(share, `${lines.join('\n')}\n`);
    expect(await machine.run('inject-env', { TUIST_ENV_OWNER: '' }).ended()).toBe(0);
    return machine.run('cluster-dns');
  }

  async function resolvers(): Promise<Readonly<Record<string, string>>> {
    const folder = machine.at('etc/resolver');
    const names = existsSync(folder) ? await readdir(folder) : [];
    const read = names.map(async (name) => [name, await readFile(`${folder}/${name}`, 'utf8')] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  it('cluster names are resolved by the name server of the cluster', async () => {
    const program = await start('TUIST_CLUSTER_DNS_IP=10.0.0.10', 'TUIST_CLUSTER_DOMAIN=cluster.local');
    expect(await program.ended()).toBe(0);
    expect(program.lines.join('\n')).toContain('configured 10.0.0.10 as the name server of cluster.local');
    expect(await resolvers()).toEqual({ 'cluster.local': 'nameserver 10.0.0.10\n' });
    expect((await stat(machine.at('etc/resolver/cluster.local'))).mode & 0o777).toBe(0o644);
    expect((await stat(machine.at('etc/resolver'))).mode & 0o777).toBe(0o755);
    expect(await readdir(machine.at('etc'))).toEqual(['resolver', 'tuist.env']);
  });

  it('an earlier resolver of that domain is replaced, and others stay', async () => {
    await machine.write('etc/resolver/cluster.local', 'nameserver 10.9.9.9\nport 5353\n');
    await machine.write('etc/resolver/corp.example', 'nameserver 10.8.8.8\n');
    await (await start('TUIST_CLUSTER_DNS_IP=10.0.0.10', 'TUIST_CLUSTER_DOMAIN=cluster.local')).ended();
    expect(await resolvers()).toEqual({
      'cluster.local': 'nameserver 10.0.0.10\n',
      'corp.example': 'nameserver 10.8.8.8\n',
    });
  });

  it('a machine without both settings is not changed', async () => {
    const program = await start('TUIST_CLUSTER_DNS_IP=', 'OTHER=value');
    expect(await program.ended()).toBe(0);
    expect(program.lines).toEqual([]);
    expect(existsSync(machine.at('etc/resolver'))).toBe(false);
  });

  it.each([
    '0.0.0.0',
    '255.255.255.255',
    'fd00::a',
    '::1',
    'fe80::',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7::',
    'FD00:abcd::10',
  ])('%s is an address', async (address) => {
    const program = await start(`TUIST_CLUSTER_DNS_IP=${address}`, 'TUIST_CLUSTER_DOMAIN=cluster.local');
    expect(await program.ended(), program.lines.join('\n')).toBe(0);
    expect(await resolvers()).toEqual({ 'cluster.local': `nameserver ${address}\n` });
  });

  it.each([
    '10.0.0',
    '10.0.0.0.1',
    '10.0.0.256',
    '10.0.0.010',
    '10..0.1',
    '10.0.0.1.',
    '10.0.0.1 ',
    String.raw`10.0.0.1\nport 1`,
    'dns.example',
    '$(id)',
    '*',
    ':',
    '1:2',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    ':::',
    '1:2:3:4:5:6:7:',
    ':2:3:4:5:6:7:8',
    'fd00::12345',
    'fd00::g',
    '99999999999999999999.0.0.1',
  ])('%j is refused as an address, and nothing is written', async (address) => {
    const program = await start(`TUIST_CLUSTER_DNS_IP=${address}`, 'TUIST_CLUSTER_DOMAIN=cluster.local');
    expect(await program.ended()).toBe(1);
    expect(program.lines.join('\n')).toContain('TUIST_CLUSTER_DNS_IP must be an IP address');
    expect(await resolvers()).toEqual({});
  });

  it.each(['local', 'k8s-1.example.com', `${long}.${long}`])('%s is a name', async (domain) => {
    const program = await start('TUIST_CLUSTER_DNS_IP=10.0.0.10', `TUIST_CLUSTER_DOMAIN=${domain}`);
    expect(await program.ended(), program.lines.join('\n')).toBe(0);
    expect(await resolvers()).toEqual({ [domain]: 'nameserver 10.0.0.10\n' });
  });

  it.each([
    '.',
    '..',
    '../integration/hosts',
    'cluster/local',
    'cluster..local',
    '.local',
    'cluster.local.',
    '-cluster.local',
    'cluster-.local',
    'cluster.-local',
    'cluster local',
    'clüster.local',
    '*',
    '$(id)',
    `a${long}.local`,
    `${long}.${long}.${long}.${long}`,
  ])('%j is refused as a name, and nothing is written', async (domain) => {
    const program = await start('TUIST_CLUSTER_DNS_IP=10.0.0.10', `TUIST_CLUSTER_DOMAIN=${domain}`);
    expect(await program.ended()).toBe(1);
    expect(program.lines.join('\n')).toContain('TUIST_CLUSTER_DOMAIN must be a DNS name');
    expect(await resolvers()).toEqual({});
    expect(await readdir(machine.at('etc'))).toEqual(['tuist.env']);
  });

  it.each([
    ['TUIST_CLUSTER_DNS_IP', '10.0.0.10', 'TUIST_CLUSTER_DOMAIN'],
    ['TUIST_CLUSTER_DOMAIN', 'cluster.local', 'TUIST_CLUSTER_DNS_IP'],
  ])('%s alone is refused', async (name, value, other) => {
    const program = await start(`${name}=${value}`);
    expect(await program.ended()).toBe(1);
    expect(program.lines.join('\n')).toContain(`${name} is set without ${other}`);
  });

  it('a folder that cannot be written is reported', async () => {
    await machine.write('etc/resolver', '');
    const program = await start('TUIST_CLUSTER_DNS_IP=10.0.0.10', 'TUIST_CLUSTER_DOMAIN=cluster.local');
    expect(await program.ended()).toBe(1);
    expect(program.lines.join('\n')).toMatch(/failed to write .*etc\/resolver\/cluster\.local/);
  });

  it('no other shared variable changes the target folder', async () => {
    const program = await start(
      'TUIST_CLUSTER_DNS_IP=10.0.0.10',
      'TUIST_CLUSTER_DOMAIN=cluster.local',
      'resolvers=/nowhere',
      'guest_root=/nowhere',
      'PATH=/nowhere',
      'IFS=1',
    );
    expect(await program.ended(), program.lines.join('\n')).toBe(0);
    expect(await resolvers()).toEqual({ 'cluster.local': 'nameserver 10.0.0.10\n' });
  });
});
