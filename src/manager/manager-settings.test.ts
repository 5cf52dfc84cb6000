/** The flags of the manager, and their conflicts. */
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addSettings, flagsOf } from '../platform/settings/command-options.ts';
import { readSettings } from '../platform/settings/read-settings.ts';
import type { FleetSettings } from './host-settings.ts';
import { fleetSettingsOf, managerSettings } from './manager-settings.ts';
import { withOlderNames } from './older-settings.ts';
import { ownedHostsOf } from './owned-hosts/settings.ts';

function settingsOf(...args: readonly string[]): Promise<FleetSettings> {
  return settingsIn({}, ...args);
}

async function settingsIn(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<FleetSettings> {
  return fleetSettingsOf(await valuesIn(env, ...args));
}

async function ownedIn(...args: readonly string[]) {
  return ownedHostsOf(await valuesIn({}, ...args));
}

async function valuesIn(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const command = addSettings(new Command('manager').exitOverride(), managerSettings);
  command.parse(args, { from: 'user' });
  const given = { flags: flagsOf(command, managerSettings), env: withOlderNames(env) };
  const readFile = (): Promise<string> => Promise.reject(new Error('there are no files here'));
  return readSettings(managerSettings, given, { readFile });
}

it('limits requests to the API server as configured', async () => {
  const settings = await settingsOf('--kube-requests-per-second', '7', '--kube-requests-burst', '9');
  expect(settings.kubeRequests).toEqual({ perSecond: 7, burst: 9 });
});

it('by default lets a leader act for eight of the fifteen seconds of its lease', async () => {
  expect((await settingsOf()).lease).toEqual({ durationMs: 15_000, actMs: 8000, handoverMs: 30_000 });
});

it('accepts shorter leases with an equally short provider deadline', async () => {
  const args = ['--lease-duration', '3s', '--lease-handover', '2s', '--provider-deadline', '3s'];
  expect((await settingsOf(...args)).lease).toEqual({ durationMs: 3000, actMs: 1600, handoverMs: 2000 });
});

it('refuses a handover that ends while calls of the old leader may still arrive', async () => {
  await expect(settingsOf('--lease-handover', '10s')).rejects.toThrow('--lease-handover 10s is too short');
  await expect(settingsOf('--provider-deadline', '37s')).rejects.toThrow('--provider-deadline 37s');
});

it('spreads only a named Deployment, by default in the namespace of the Secrets', async () => {
  expect((await settingsOf()).fleetSpread).toBeUndefined();
  const named = ['--fleet-spread-deployment', 'processor', '--secrets-namespace', 'keys'];
  expect((await settingsOf(...named)).fleetSpread).toEqual({ deployment: 'processor', namespace: 'keys' });
  expect((await settingsOf(...named, '--fleet-spread-namespace', 'apps')).fleetSpread).toEqual({
    deployment: 'processor',
    namespace: 'apps',
  });
});

it('reads variables of older versions', async () => {
  const env = { CAPI_FLEET_SPREAD_DEPLOYMENT: 'processor', CAPI_FLEET_SPREAD_NAMESPACE: 'apps' };
  expect((await settingsIn(env)).fleetSpread).toEqual({ deployment: 'processor', namespace: 'apps' });
});

it('repairs of duplicates can be turned off', async () => {
  expect((await settingsOf()).duplicateRepairsMax).toBe(5);
  expect((await settingsOf('--duplicate-repairs-max', '0')).duplicateRepairsMax).toBe(0);
});

it('owned hosts need a list and a command, and neither goes with rented ones', async () => {
  const list = ['--static-hosts', 'muster-system/office-macs'];
  const command = ['--static-wipe-command', '/opt/wipe'];
  expect(await ownedIn()).toBeUndefined();
  expect(await ownedIn('--provider', 'static', ...list, ...command)).toEqual({
    list: { namespace: 'muster-system', name: 'office-macs' },
    passwords: undefined,
    wipeCommand: '/opt/wipe',
    wipeDeadlineMs: 45 * 60_000,
  });
  await expect(ownedIn('--provider', 'static', ...list)).rejects.toThrow('needs --static-hosts and');
  await expect(ownedIn('--provider', 'static', ...command)).rejects.toThrow('needs --static-hosts and');
  await expect(ownedIn(...list)).rejects.toThrow('need --provider static');
});

it.for(['office-macs', '/macs', 'a/b/c', 'A/b', 'a/'])(
  '%s is not accepted as the place of a list',
  async (place) => {
    await expect(ownedIn('--provider', 'static', '--static-hosts', place)).rejects.toThrow(
      'the value names no object',
    );
  },
);

it.for([
  ['--default-adopt-pool-prefix', 'a', 'shorter than 3'],
  ['--default-adopt-pool-prefix', 'tuist-claim-pending-', 'tuist-claim-pending-'],
  ['--orphan-reclaim-claim-name-prefix', 'a', 'shorter than 3'],
  ['--orphan-reclaim-claim-name-prefix', 'apple-silicon-', 'apple-silicon-'],
] as const)('%s %s is rejected: it would match foreign hosts', async ([flag, prefix, why]) => {
  await expect(settingsOf(flag, prefix)).rejects.toThrow(why);
});

it('machines may use any pool prefix without an allow-list, whose prefixes must be valid', async () => {
  expect((await settingsOf()).allowedPoolPrefixes).toBeUndefined();
  const given = ['--allowed-pool-prefixes', 'pool-,spare-'];
  expect((await settingsOf(...given)).allowedPoolPrefixes).toEqual(['pool-', 'spare-']);
  expect((await settingsIn({ MUSTER_ALLOWED_POOL_PREFIXES: 'pool-' })).allowedPoolPrefixes).toEqual([
    'pool-',
  ]);
  await expect(settingsOf('--allowed-pool-prefixes', 'pool-,x')).rejects.toThrow('--allowed-pool-prefixes x');
  const claims = ['--orphan-reclaim-claim-name-prefix', 'ci-macs-'];
  await expect(settingsOf('--allowed-pool-prefixes', 'ci-', ...claims)).rejects.toThrow('ci-macs-');
});

it('manages no RunnerPool without --dispatch-url', async () => {
  expect((await settingsOf()).runners).toBeUndefined();
  expect((await settingsIn({ MUSTER_DISPATCH_URL: 'https://ci.example' })).runners).toEqual({
    namespace: 'tuist-runners',
    template: { dispatchUrl: 'https://ci.example/api/internal/runners/dispatch' },
  });
});

it('keeps the path of dispatch addresses, and reads the older name of the namespace', async () => {
  const urls = ['--dispatch-url', 'https://ci.example/jobs', '--dispatch-internal-url', 'http://inside:80'];
  const more = ['--dind-image', 'docker:dind', '--namespace', 'runners', '--cluster-dns-ip', '10.0.0.10'];
  expect((await settingsOf(...urls, ...more)).runners).toEqual({
    namespace: 'runners',
    template: {
      dispatchUrl: 'https://ci.example/jobs',
      dispatchInternalUrl: 'http://inside/api/internal/runners/dispatch',
      dindImage: 'docker:dind',
      clusterDnsIp: '10.0.0.10',
      clusterDomain: 'cluster.local',
    },
  });
  await expect(settingsOf('--dispatch-url', 'ci.example')).rejects.toThrow('not an http');
});

it.for(['cluster.local', 'local', 'K8s-1.example.com', `${'a'.repeat(63)}.${'b'.repeat(63)}`])(
  'names of the cluster may end with %s',
  async (domain) => {
    const given = ['--dispatch-url', 'https://ci.example', '--cluster-domain', domain];
    expect((await settingsOf(...given)).runners?.template.clusterDomain).toBe(domain);
  },
);

it.for([
  ['--cluster-domain', 'cluster.local.', 'the name ends with a dot'],
  ['--cluster-domain', '.', 'the name ends with a dot'],
  ['--cluster-domain', 'cluster..local', 'the value is not a DNS name'],
  ['--cluster-domain', '-cluster.local', 'the value is not a DNS name'],
  ['--cluster-domain', 'cluster.local-', 'the value is not a DNS name'],
  ['--cluster-domain', '../hosts', 'the value is not a DNS name'],
  ['--cluster-domain', 'cluster local', 'the value is not a DNS name'],
  ['--cluster-domain', 'cluster.local\n', 'the value is not a DNS name'],
  ['--cluster-domain', `${'a'.repeat(64)}.local`, 'the value is not a DNS name'],
  [
    '--cluster-domain',
    Array.from({ length: 4 }, () => 'a'.repeat(63)).join('.'),
    'the value is not a DNS name',
  ],
  ['--cluster-dns-ip', 'dns.example', 'the value is not an IP address'],
] as const)('%s %j is rejected: %s', async ([flag, value, why]) => {
  await expect(settingsOf('--dispatch-url', 'https://ci.example', flag, value)).rejects.toThrow(why);
});
