/**
 * `muster manager`: the controllers of hosts on a real cluster and a real provider, until a signal stops the process.
 */
import type { Command } from 'commander';
import { GoStyleCommand } from './go-flags.ts';
import type { ProcessPorts } from './process-ports.ts';
import { addSettings, flagsOf } from '../platform/settings/command-options.ts';
import { managerSettings } from '../manager/manager-settings.ts';

export function managerCommand(ports: ProcessPorts): Command {
  const command = new GoStyleCommand('manager')
    .description('run the controllers: adopt and wipe hosts, scale runner pools, find orphaned hosts')
    .addHelpText(
      'after',
      '\nWith --provider scaleway, credentials: SCW_ACCESS_KEY, SCW_SECRET_KEY, SCW_DEFAULT_PROJECT_ID, or its configuration file.',
    );
  return addSettings(command, managerSettings).action(() => run(command, ports));
}

async function run(command: Command, ports: ProcessPorts): Promise<void> {
  const { life, outside } = ports;
  if (life === undefined || outside === undefined)
    throw new Error('muster manager cannot run inside this process: start the command line itself');
  const { startManager } = await import('./start-manager.ts');
  const given = { flags: flagsOf(command, managerSettings), env: outside.env };
  await startManager(given, { ...ports, ...outside, life });
}
