/** The provider that the flags of the manager select. */
import { loggerTo } from '../../lab/harness/logger-to.ts';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { StaticProviderHarness, zone } from '../../lab/harness/static-provider-harness.ts';
import { managerSettings } from '../manager/manager-settings.ts';
import { addSettings, flagsOf } from '../platform/settings/command-options.ts';
import { readSettings } from '../platform/settings/read-settings.ts';
import { openProvider } from './open-provider.ts';

const owned = [
  '--provider',
  'static',
  '--static-hosts',
  'default/macs',
  '--static-wipe-command',
  '/opt/wipe',
];
const missing = (): Promise<never> => Promise.reject(Object.assign(new Error('none'), { code: 'ENOENT' }));

async function open(harness: StaticProviderHarness, args: readonly string[]) {
  const command = addSettings(new Command('manager').exitOverride(), managerSettings);
  command.parse(args, { from: 'user' });
  const given = { flags: flagsOf(command, managerSettings), env: {} };
  const logger = loggerTo(
    ({ level, message, fields }) => void harness.log.push(`${level} ${message} ${JSON.stringify(fields)}`),
  );
  return openProvider(await readSettings(managerSettings, given, { readFile: missing }), {
    transport: harness.transport,
    clock: harness.clock,
    random: { next: () => 0.5 },
    env: {},
    readFile: missing,
    runProgram: missing,
    runCommand: async ({ onOutput }) => {
      onOutput('no route to host\n');
      throw new Error('it ended with 255');
    },
    userAgent: 'test',
    mayAct: () => true,
    logger,
  });
}

it('reads owned hosts from the list of a flag, and logs the output and the failures of wipes', async () => {
  const harness = new StaticProviderHarness();
  const { provider, keepsSshKeys, close } = await open(harness, owned);
  const [server] = await provider.listServers(zone);
  expect([server?.name, keepsSshKeys]).toEqual(['pool-1', false]);
  if (server !== undefined) await provider.reinstall(server);
  await harness.clock.pass(1000);
  expect(harness.log).toEqual([
    `info received output of the wipe command {"host":"${server?.id}","line":"no route to host"}`,
    expect.stringMatching(/^error WipeFailed: .*: it ended with 255 \{\}$/),
  ]);
  await close();
});

it('needs credentials for rented hosts only', async () => {
  await expect(open(new StaticProviderHarness(), [])).rejects.toMatchObject({ reason: 'CredentialsMissing' });
});
