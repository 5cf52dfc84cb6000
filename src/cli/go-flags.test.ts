/** The manager accepts the arguments of Deployments of the older tool, a Go program, verbatim. */
import { describe, expect, it } from 'vitest';
import { fleetSettingsOf, managerSettings } from '../manager/manager-settings.ts';
import { flagsOf } from '../platform/settings/command-options.ts';
import { readSettings } from '../platform/settings/read-settings.ts';
import { withTwoDashes } from './go-flags.ts';
import { managerCommand } from './manager.ts';
import { runProgram } from './program.ts';

const ports = {
  terminal: { out: () => undefined, err: () => undefined },
  clock: { now: () => 0, after: () => () => undefined },
  random: { next: () => 0.5 },
  stopped: Promise.resolve(),
};
const readFile = (): Promise<string> => Promise.reject(new Error('there are no files here'));

async function valuesOf(...args: readonly string[]) {
  const command = managerCommand(ports)
    .exitOverride()
    .action(() => undefined);
  command.parse(args, { from: 'user' });
  return readSettings(managerSettings, { flags: flagsOf(command, managerSettings), env: {} }, { readFile });
}

async function settingsOf(...args: readonly string[]) {
  const { defaultPoolPrefix, zones, claimPrefix, sweepIntervalMs } = fleetSettingsOf(await valuesOf(...args));
  return { defaultPoolPrefix, zones, claimPrefix, sweepIntervalMs };
}

/** The arguments of the sweep of stranded hosts, as the older chart renders them. */
const flags = [
  ['default-adopt-pool-prefix', 'tuist-pool-'],
  ['orphan-reclaim-zones', 'fr-par-1,fr-par-3'],
  ['orphan-reclaim-claim-name-prefix', 'tuist-tuist-'],
  ['orphan-reclaim-interval', '5s'],
] as const;

const meant = {
  defaultPoolPrefix: 'tuist-pool-',
  zones: ['fr-par-1', 'fr-par-3'],
  claimPrefix: 'tuist-tuist-',
  sweepIntervalMs: 5000,
};

describe('the flags of the sweep', () => {
  it.for([
    ['--flag=value', flags.map(([name, value]) => `--${name}=${value}`)],
    ['-flag=value', flags.map(([name, value]) => `-${name}=${value}`)],
    ['--flag value', flags.flatMap(([name, value]) => [`--${name}`, value])],
    ['-flag value', flags.flatMap(([name, value]) => [`-${name}`, value])],
  ] as const)('as %s mean the same', async ([, args]) => {
    expect(await settingsOf(...args)).toEqual(meant);
  });

  it.for([
    ['5s', 5000],
    ['1.5h', 5_400_000],
    ['1h30m', 5_400_000],
    ['90m', 5_400_000],
    ['1h0m0s', 3_600_000],
    ['15m0s', 900_000],
    ['720h', 2_592_000_000],
    ['300ms', 1000],
    ['1ns', 1000],
  ] as const)('an interval of %s is taken, and is %d ms', async ([interval, sweepIntervalMs]) => {
    expect(await settingsOf(`--orphan-reclaim-interval=${interval}`)).toMatchObject({ sweepIntervalMs });
  });

  it.for([
    ['0', 'the value is less than 1ms'],
    ['0s', 'the value is less than 1ms'],
    ['-5s', 'the value is less than 1ms'],
    ['15', 'the unit is missing'],
    ['soon', 'the value is not a duration'],
    ['', 'the value is not a duration'],
  ] as const)('an interval of %j is refused, and examples are named', async ([interval, why]) => {
    await expect(settingsOf('--orphan-reclaim-interval', interval)).rejects.toThrow(
      `--orphan-reclaim-interval is ${JSON.stringify(interval)}: ${why}; it must be a duration of at least 1ms, such as 300ms, 5s, 15m, 1.5h or 1h30m`,
    );
  });
});

it('accepts a switch with one dash, with and without a value', async () => {
  const { tailscaleAcceptRoutes, leaderElect } = await valuesOf(
    '-tailscale-accept-routes',
    '-leader-elect=false',
  );
  expect([tailscaleAcceptRoutes, leaderElect]).toEqual([true, false]);
});

it('accepts one dash in nested commands, and rejects unknown options', async () => {
  const run = (...args: readonly string[]) => runProgram(['manager', ...args], '1.2.3', ports);
  // Without process ports the command stops after its options.
  expect(await run('-orphan-reclaim-interval=5s')).toBe(1);
  expect(await run('-orphan-reclaim-frequency=5s')).toBe(64);
});

describe('dashes', () => {
  const options = [
    { long: '--name', required: true },
    { long: '--loud', required: false },
  ];

  it.for([
    [
      'a value that looks like an option stays as it is',
      ['-name', '-loud', '-loud'],
      ['--name', '-loud', '--loud'],
    ],
    ['a value may have an equals sign', ['-name=a=b'], ['--name=a=b']],
    ['a value may have more than one line', ['-name=a\nb'], ['--name=a\nb']],
    ['an empty value is no next argument', ['-name=', '-loud'], ['--name=', '--loud']],
    ['a missing value is not made up', ['-name'], ['--name']],
    ['nothing changes after two dashes', ['-loud', '--', '-loud'], ['--loud', '--', '-loud']],
    [
      'other arguments stay',
      ['-l', '-', 'name', '-other=1', '---name'],
      ['-l', '-', 'name', '-other=1', '---name'],
    ],
  ] as const)('%s', ([, args, expected]) => expect(withTwoDashes(args, options)).toEqual(expected));
});
