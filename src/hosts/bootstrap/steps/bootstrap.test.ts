/** The steps over the real SSH transport on a simulated Mac: one end state, however often and wherever a run is cut. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bySize } from '../../../../lab/harness/test-size.ts';
import { anyRandom as random, wallClock as clock } from '../../../../lab/harness/wall-clock.ts';
import { makeHostKey } from '../../../../lab/clouds/macs/host-key.ts';
import type { MacOptions } from '../../../../lab/clouds/macs/mac-options.ts';
import { SimulatedMac } from '../../../../lab/clouds/macs/simulated-mac.ts';
import { Secret } from '../../../platform/secret.ts';
import { fileSource } from '../ssh/file-source.ts';
import type { SshConnection } from '../ssh/port.ts';
import { ssh2Dialler } from '../ssh/ssh2-dialler.ts';
import { planSteps, runSteps, type StepReport } from './run-steps.ts';
import type { HostConfig } from './step.ts';

const key = makeHostKey();
const dialler = ssh2Dialler({ clock, openSocket: (host, port) => connect({ host, port }) });
/** After how many changes a run is cut; each one in the long acceptance. */
const cutEvery = bySize({ small: 14, full: 1 });
const nodeProgram = '/usr/local/bin/node';
const canary = 'canary-7f3a';
let folder: string;
let mac: SimulatedMac;
let config: HostConfig;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-bootstrap-'));
  await open();
});

afterEach(async () => {
  await mac.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(options: Partial<MacOptions> = {}): Promise<void> {
  mac = await SimulatedMac.open({ authorizedKeys: [key.publicKey], ...options }, { clock, random });
  await installNode();
  config = await configFor('setInterval(() => undefined, 1000);');
}

/** In the place of the Node.js of a Mac. */
async function installNode(): Promise<void> {
  await mkdir(join(mac.root, 'usr/local/bin'), { recursive: true });
  await writeFile(join(mac.root, nodeProgram), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, {
    mode: 0o755,
  });
}

async function configFor(program: string): Promise<HostConfig> {
  await writeFile(join(folder, 'agent.mjs'), program);
  const files = [{ name: 'agent.mjs', source: await fileSource(join(folder, 'agent.mjs')) }];
  return {
    user: mac.user,
    sudoPassword: new Secret(mac.password),
    fence: { machineUid: 'uid-1', epoch: 1, term: 1 },
    firewall: {
      vmNetwork: '192.168.64.0/22',
      probeSource: '192.168.67.254',
      blocked: ['10.0.0.0/8', '172.16.0.0/12', '169.254.0.0/16'],
      blockedProbe: { address: '10.255.255.1', port: 443 },
      allowedProbe: { address: '192.0.2.1', port: 6443 },
    },
    agent: {
      nodeName: 'mac-1',
      fleet: 'macs',
      providerId: 'scw-applesilicon://fr-par-1/1111',
      nodeLabels: {},
      hostCpu: 8,
      hostMemoryMb: 16_384,
      maxPods: 5,
      kubeconfig: 'a kubeconfig',
      token: new Secret(canary),
      payload: { version: '0.1.0', files },
      nodeProgram,
      runnerHome: folder,
      environment: {},
      settleSeconds: 1,
      startSeconds: 4,
    },
  };
}

function dial(): Promise<SshConnection> {
  return dialler.dial({
    address: '127.0.0.1',
    port: mac.port,
    user: mac.user,
    privateKey: new Secret(key.privateKey),
    expected: { kind: 'trust-first' },
    deadlineMs: 20_000,
  });
}

async function bootstrap(other: Partial<HostConfig> = {}): Promise<readonly StepReport[]> {
  const connection = await dial();
  try {
    return await runSteps({ ...config, ...other }, { connection });
  } finally {
    await connection.close();
  }
}

async function differencesOf(name: string): Promise<readonly string[] | undefined> {
  const connection = await dial();
  try {
    return (await planSteps(config, connection)).find(({ step }) => step === name)?.differences;
  } finally {
    await connection.close();
  }
}

function changed(reports: readonly StepReport[]): readonly string[] {
  return reports.filter(({ differences }) => differences.length > 0).map(({ step }) => step);
}

/** Names of files that hold the secret, with their modes. */
function filesWithCanary(): readonly string[] {
  const digest = createHash('sha256').update(canary).digest('hex');
  return [...mac.files()].flatMap(([name, facts]) => (facts.includes(digest) ? [`${name} ${facts}`] : []));
}

it(
  'sets a fresh Mac up; a second run sends no changing command, and secrets are in one private file',
  { timeout: 120_000 },
  async () => {
    expect(changed(await bootstrap())).toEqual(['sudo', 'firewall', 'agent']);
    const commands = mac.journal.changes().length;
    const before = mac.files();
    expect(changed(await bootstrap())).toEqual([]);
    expect(mac.journal.changes().length).toBe(commands);
    expect(mac.files()).toEqual(before);

    const journal = mac.journal.lines().join('\n');
    expect([journal.includes(canary), journal.includes(mac.password)]).toEqual([false, false]);
    expect(filesWithCanary()).toEqual([expect.stringMatching(/etc\/muster-agent\/token .*600/)]);
  },
);

it('shows what differs without a change', { timeout: 120_000 }, async () => {
  const connection = await dial();
  const reports = await planSteps(config, connection);
  await connection.close();
  expect(changed(reports)).toEqual(['sudo', 'firewall', 'agent']);
  expect(mac.journal.changes()).toEqual([]);
});

describe('the agent', () => {
  it('is restarted in place for a new version, and only then', { timeout: 120_000 }, async () => {
    await bootstrap();
    mac.journal.clear();
    config = await configFor('setInterval(() => undefined, 2000);');
    expect(changed(await bootstrap())).toEqual(['agent']);
    const lines = mac.journal.lines(mac.journal.changes()).filter((line) => line.startsWith('launchctl'));
    expect(lines).toEqual(['launchctl kickstart -k system/dev.muster.agent']);
  });

  it('that ends again and again is a failure, and stays one', { timeout: 240_000 }, async () => {
    config = await configFor('process.exit(3);');
    await expect(bootstrap()).rejects.toMatchObject({ reason: 'SSHCommandFailed' });
    const connection = await dial();
    expect(changed(await planSteps(config, connection))).toContain('agent');
    await connection.close();
  });
});

describe('the firewall', () => {
  it('is proved again after a boot', { timeout: 120_000 }, async () => {
    await bootstrap();
    await mac.reboot();
    const unproved = ['the effect of the rules was not proved since the last boot'];
    // The job that loads the rules at boot runs beside the start of the SSH server.
    await expect.poll(() => differencesOf('firewall'), { timeout: 30_000 }).toEqual(unproved);
    const [, firewall] = await bootstrap();
    expect(firewall?.differences).toEqual(unproved);
    expect(await differencesOf('firewall')).toEqual([]);
  });
});

it('a leader that was overtaken changes nothing', { timeout: 120_000 }, async () => {
  await bootstrap({ fence: { machineUid: 'uid-1', epoch: 1, term: 7 } });
  mac.journal.clear();
  config = await configFor('setInterval(() => undefined, 3000);');
  const before = mac.files();
  await expect(bootstrap()).rejects.toMatchObject({ kind: 'conflict', reason: 'NotLeading' });
  expect(mac.files()).toEqual(before);
});

it(
  'a run that is cut after any change ends in the same state when it runs again',
  { timeout: 900_000 },
  async () => {
    await bootstrap();
    const changes = mac.journal.changes().length;
    const wanted = [...mac.files().keys()].toSorted();
    let cuts = 0;
    for (let after = 1; after < changes; after += cutEvery) {
      await mac.reinstall({ authorizedKeys: [key.publicKey] });
      await installNode();
      config = { ...config, sudoPassword: new Secret(mac.password) };
      mac.cutAfter(after);
      await bootstrap().then(
        () => undefined,
        () => (cuts += 1),
      );
      await bootstrap();
      expect([...mac.files().keys()].toSorted()).toEqual(wanted);
      mac.journal.clear();
      expect(changed(await bootstrap())).toEqual([]);
      expect(mac.journal.changes()).toEqual([]);
    }
    console.log(`${cuts} cuts at ${changes} changes`);
    expect(cuts).toBeGreaterThan(0);
  },
);
