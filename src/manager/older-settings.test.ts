/** Every flag and variable of older versions is accepted, with its former default and type. */
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addSettings, flagsOf } from '../platform/settings/command-options.ts';
import { givenInVain, readSettings, type Given } from '../platform/settings/read-settings.ts';
import { flagOf, type Setting } from '../platform/settings/setting.ts';
import { managerSettings } from './manager-settings.ts';
import { listenAddresses, withOlderNames } from './older-settings.ts';

function given(args: readonly string[], env: Readonly<Record<string, string>> = {}): Given {
  const command = addSettings(new Command('manager').exitOverride(), managerSettings);
  command.parse(args, { from: 'user' });
  return { flags: flagsOf(command, managerSettings), env: withOlderNames(env) };
}

const readFile = (): Promise<string> => Promise.reject(new Error('there are no files here'));
const valuesOf = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  readSettings(managerSettings, given(args, env), { readFile });

const text = { good: 'x', bad: ' x', why: 'the value begins or ends with a space' };
const number = { good: '7', bad: 'seven', why: 'the value is not a whole number' };
const time = { good: '20m', bad: '20', why: 'the unit is missing' };
const truth = { good: 'true', bad: 'yes', why: 'the value is neither' };
const listen = { good: ':9090', bad: '9090', why: 'the value is not a host with a port' };
const network = { good: '10.0.0.0/16', bad: '10.0.0.0', why: 'the value is not a network' };
const web = {
  good: 'https://example.com',
  bad: 'example.com',
  why: 'the value is not an http:// or https:// address',
};

interface Older {
  readonly flag: string;
  /** Empty: the flag had no default. */
  readonly fallback: string;
  readonly variable?: string;
  readonly type: { readonly good: string; readonly bad: string; readonly why: string };
}

function older(flag: string, fallback: string, type: Older['type']): Older {
  return { flag, fallback, type };
}

function inEnvironment(one: Older, variable = `CAPI_${one.flag.replaceAll('-', '_').toUpperCase()}`): Older {
  return { ...one, variable };
}

const table: readonly Older[] = [
  older('metrics-bind-address', ':8080', listen),
  older('health-probe-bind-address', ':8081', listen),
  older('leader-elect', 'true', truth),
  older('secrets-namespace', 'default', text),
  older('zap-devel', 'false', truth),
  older('zap-encoder', '', { good: 'json', bad: 'xml', why: 'the value is not in the list' }),
  older('zap-log-level', '', { good: '2', bad: 'loud', why: 'the level is unknown' }),
  older('zap-stacktrace-level', '', { good: 'error', bad: 'loud', why: 'the value is not in the list' }),
  older('zap-time-encoding', '', { good: 'rfc3339', bad: 'sundial', why: 'the value is not in the list' }),
  inEnvironment(older('api-server-url', '', web), 'CAPI_TARTKUBELET_API_SERVER_URL'),
  inEnvironment(older('node-identity-cluster-role', 'tart-kubelet', text)),
  inEnvironment(older('tartkubelet-binary-path', '/opt/tart-kubelet/tart-kubelet-darwin-arm64', text)),
  inEnvironment(older('tart-tarball-path', '/opt/tart/tart.tar.gz', text)),
  inEnvironment(older('tailscale-binaries-path', '', text)),
  inEnvironment(older('node-exporter-binary-path', '', text)),
  inEnvironment(older('log-shipper-binary-path', '', text)),
  inEnvironment(older('log-ship-url', '', web)),
  inEnvironment(older('log-ship-env', '', text)),
  inEnvironment(older('tailscale-auth-key-secret-name', '', text)),
  inEnvironment(older('tailscale-tags', '', { ...text, good: 'tag:a, ,tag:b', bad: '' })),
  inEnvironment(older('tailscale-accept-routes', 'false', truth)),
  inEnvironment(older('vm-kura-egress-cidr', '', network)),
  inEnvironment(
    older('vm-cluster-dns-ip', '', { good: '10.0.0.10', bad: 'dns', why: 'the value is not an IP address' }),
  ),
  inEnvironment(older('vm-cache-pn-name', '', text)),
  inEnvironment(older('vm-cache-pn-cidr', '', network)),
  inEnvironment(older('ssh-ingress-allow-cidrs', '', { ...network, good: '10.0.0.0/8, fd00::/64,' })),
  older('runner-cache-volume-gib', '0', number),
  older('cache-volume-master-cap-gib', '0', number),
  older('cache-volume-cas-gib', '0', number),
  older('tartkubelet-host-cpu', '8', number),
  older('tartkubelet-host-memory-mb', '16384', number),
  older('tartkubelet-max-pods', '2', number),
  older('tartkubelet-max-update-attempts', '5', number),
  older('tartkubelet-terminal-retry-after', '30m', time),
  older('bootstrap-reboot-after', '3', number),
  older('bootstrap-max-attempts', '8', number),
  // The older tool has 4, with which 200 adoptions take twice as long.
  older('machine-max-concurrent-reconciles', '32', number),
  inEnvironment(older('fleet-spread-deployment', '', text)),
  inEnvironment(older('fleet-spread-namespace', '', text)),
  inEnvironment(older('tailscale-egress-proxy-group', '', text)),
  inEnvironment(older('tailscale-egress-namespace', 'tailscale-operator', text)),
  inEnvironment(older('tailscale-egress-magicdns-suffix', '', text)),
  inEnvironment(older('default-adopt-pool-prefix', '', text)),
  inEnvironment(older('orphan-reclaim-claim-name-prefix', '', text)),
  inEnvironment(
    older('orphan-reclaim-zones', 'fr-par-1', { good: 'a, b,', bad: ',', why: 'the list is empty' }),
  ),
  older('orphan-reclaim-interval', '15m', time),
];

const refusable = table.filter(({ flag }) => flag !== 'tailscale-tags');
const settings: readonly (readonly [string, Setting<unknown>])[] = Object.entries(managerSettings);

function settingOf(flag: string): readonly [string, Setting<unknown>] {
  const found = settings.find(([key]) => flagOf(key) === `--${flag}`);
  if (found === undefined) throw new Error(`there is no --${flag}`);
  return found;
}

async function valueOf(flag: string, args: readonly string[], env = {}): Promise<unknown> {
  const values: Readonly<Record<string, unknown>> = await valuesOf(args, env);
  return values[settingOf(flag)[0]];
}

/** Differs on purpose: one address serves all pages. */
const ownDefaults: Readonly<Record<string, string | undefined>> = {
  'metrics-bind-address': undefined,
  'health-probe-bind-address': undefined,
};

describe('a flag of older versions', () => {
  it.each(table)('--$flag has its former default', ({ flag, fallback }) => {
    const [, setting] = settingOf(flag);
    const wanted = flag in ownDefaults ? ownDefaults[flag] : fallback || undefined;
    expect(setting.fallback).toBe(wanted);
  });

  it.each(table)(
    '--$flag takes its old default and other values of its type',
    async ({ flag, fallback, type }) => {
      const givenDefault = fallback === '' && flag.startsWith('zap-log') ? 'info' : fallback;
      await expect(valuesOf([`--${flag}=${givenDefault}`])).resolves.toBeDefined();
      await expect(valueOf(flag, [`--${flag}`, type.good])).resolves.toBeDefined();
    },
  );

  it.each(refusable)('--$flag explains the error in $type.bad', async ({ flag, type }) => {
    const [, { parser }] = settingOf(flag);
    await expect(valuesOf([`--${flag}=${type.bad}`])).rejects.toThrow(
      `--${flag} is ${JSON.stringify(type.bad)}: ${type.why}; it must be ${parser.expects}`,
    );
  });

  it.each(table.filter(({ variable }) => variable !== undefined))(
    '$variable sets --$flag, and is ignored when empty',
    async ({ flag, variable = '', type }) => {
      const byFlag = await valueOf(flag, [`--${flag}=${type.good}`]);
      expect(await valueOf(flag, [], { [variable]: type.good })).toEqual(byFlag);
      expect(await valueOf(flag, [], { [variable]: '' })).toEqual(await valueOf(flag, []));
    },
  );
});

it('lists drop blank entries', async () => {
  expect((await valuesOf(['--tailscale-tags', 'tag:a, ,tag:b,'])).tailscaleTags).toEqual(['tag:a', 'tag:b']);
  expect((await valuesOf(['--tailscale-tags='])).tailscaleTags).toEqual([]);
});

it('a switch needs no value', async () => {
  const values = await valuesOf(['--tailscale-accept-routes', '--leader-elect=false']);
  expect([values.tailscaleAcceptRoutes, values.leaderElect]).toEqual([true, false]);
});

it('flags without effect are named only when given', () => {
  expect(givenInVain(managerSettings, given([]))).toEqual([]);
  const args = ['--tartkubelet-max-pods=3', '--leader-elect', '--orphan-reclaim-zones=fr-par-1'];
  expect(givenInVain(managerSettings, given(args, { CAPI_LOG_SHIP_ENV: 'staging' }))).toEqual([
    'MUSTER_LOG_SHIP_ENV',
    '--tartkubelet-max-pods',
  ]);
});

it('the help lists flags without effect separately', () => {
  const help = addSettings(new Command('manager'), managerSettings).helpInformation();
  const [before = '', after = ''] = help.split('Options that are accepted and have no effect yet:');
  expect([before.includes('--leader-elect'), before.includes('--tartkubelet-max-pods')]).toEqual([
    true,
    false,
  ]);
  expect(after).toContain('--tartkubelet-max-pods');
});

describe('addresses of older versions', () => {
  const at = async (...args: readonly string[]) => listenAddresses(await valuesOf(args));

  it('replace the current address, each once', async () => {
    expect(await at()).toEqual([{ host: '127.0.0.1', port: 8080 }]);
    expect(await at('--metrics-bind-address=:8080', '--health-probe-bind-address=:8081')).toEqual([
      { host: '0.0.0.0', port: 8080 },
      { host: '0.0.0.0', port: 8081 },
    ]);
    expect(await at('--metrics-bind-address=:80', '--health-probe-bind-address=:80')).toHaveLength(1);
  });

  it('0 is no address', async () => {
    expect(await at('--metrics-bind-address=0', '--health-probe-bind-address=:8081')).toEqual([
      { host: '0.0.0.0', port: 8081 },
    ]);
  });
});
