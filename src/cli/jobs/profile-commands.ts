/** The definition of `muster accounts profile`. The implementation is imported when the command runs. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ProcessPorts } from '../process-ports.ts';
import type { RemoveProfileOptions, SetProfileOptions } from './profiles.ts';
import { withStore, type StoreOptions } from './store-options.ts';

const account = ['<account>', 'its login or its id'] as const;
const name = ['<name>', 'the name of the profile'] as const;

export function profileCommand(ports: ProcessPorts): Command {
  return new Command('profile')
    .description('list, set or remove the profiles (named runner sizes) of an account')
    .addHelpText('after', '\nExample: muster accounts profile list octo-org')
    .addCommand(listCommand(ports))
    .addCommand(setCommand(ports))
    .addCommand(removeCommand(ports));
}

function listCommand(ports: ProcessPorts): Command {
  const command = new Command('list')
    .description('list the profiles of an account with label and pool')
    .argument(...account)
    .addHelpText('after', '\nExample: muster accounts profile list octo-org --json');
  return withStore(command).action(async (typed: string, options: StoreOptions) =>
    (await import('./profiles.ts')).runProfiles(typed, options, ports),
  );
}

function setCommand(ports: ProcessPorts): Command {
  const command = new Command('set')
    .description('add or resize a profile; known jobs keep their pool')
    .argument(...account)
    .argument(...name)
    .addOption(
      new Option(
        '--platform <platform>',
        'the platform, which cannot be changed later (default: linux)',
      ).choices(['linux', 'macos']),
    )
    .option('--vcpus <count>', 'cores', parseCount)
    .option('--memory-gb <count>', 'memory', parseCount)
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', '\nExample: muster accounts profile set octo-org large --vcpus 8 --memory-gb 32');
  return withStore(command).action(async (typed: string, profile: string, options: SetProfileOptions) => {
    if (options.vcpus === undefined && options.memoryGb === undefined)
      command.error('error: give --vcpus, --memory-gb, or both');
    await (await import('./profiles.ts')).runSetProfile({ account: typed, name: profile }, options, ports);
  });
}

function removeCommand(ports: ProcessPorts): Command {
  const command = new Command('remove')
    .description('remove a profile; its waiting and running jobs continue')
    .argument(...account)
    .argument(...name)
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', '\nExample: muster accounts profile remove octo-org large');
  return withStore(command).action(async (typed: string, profile: string, options: RemoveProfileOptions) =>
    (await import('./profiles.ts')).runRemoveProfile({ account: typed, name: profile }, options, ports),
  );
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}
