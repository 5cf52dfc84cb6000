/** The command definitions about jobs, pools and accounts. Each implementation is imported when its command runs. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { jobStates } from '../../dispatch/store/rows.ts';
import { withCluster, withJson } from '../hosts/options.ts';
import { parseCount } from '../number-options.ts';
import type { ProcessPorts } from '../process-ports.ts';
import type { AddOptions, LimitOptions } from './accounts.ts';
import type { JobsOptions } from './jobs.ts';
import type { PoolsOptions } from './pools.ts';
import { profileCommand } from './profile-commands.ts';
import { withStore, type StoreOptions } from './store-options.ts';

export function runnerCommands(ports: ProcessPorts): readonly Command[] {
  return [jobsCommand(ports), queueCommand(ports), poolsCommand(ports), accountsCommand(ports)];
}

function jobsCommand(ports: ProcessPorts): Command {
  const command = new Command('jobs')
    .description('list waiting and running jobs, or jobs in one state')
    .option('--pool <pool>', 'show only jobs of this pool')
    .option('--account <account>', 'show only jobs of this account (login or id)')
    .addOption(new Option('--state <state>', 'show only jobs in this state').choices(jobStates))
    .option(
      '--limit <count>',
      'show at most this many jobs: the oldest, or the newest completed jobs',
      parseCount,
      100,
    )
    .option('--wide', 'do not cut cells to fit 100 columns')
    .addHelpText('after', '\nExample: muster jobs --state queued --pool linux');
  return withStore(command).action(async (options: JobsOptions) =>
    (await import('./jobs.ts')).runJobs(options, ports),
  );
}

function queueCommand(ports: ProcessPorts): Command {
  const command = new Command('queue')
    .description('show for each pool with jobs how many wait, how many limits hold back, and for how long')
    .addHelpText('after', '\nPools without jobs are in: muster pools\n\nExample: muster queue --json');
  return withStore(command).action(async (options: StoreOptions) =>
    (await import('./queue.ts')).runQueue(options, ports),
  );
}

function poolsCommand(ports: ProcessPorts): Command {
  const command = new Command('pools')
    .description('list runner pools with their Pods: wanted, idle, busy, and on an old image')
    .option('-n, --namespace <namespace>', 'the namespace of runner pools', 'tuist-runners')
    .option('--wide', 'do not cut cells to fit 100 columns')
    .addHelpText('after', '\nExample: muster pools -n tuist-runners');
  return withJson(withCluster(command)).action(async (options: PoolsOptions) =>
    (await import('./pools.ts')).runPools(options, ports),
  );
}

function accountsCommand(ports: ProcessPorts): Command {
  const command = new Command('accounts')
    .description('list accounts with their usage and limits')
    .addHelpText('after', '\nExample: muster accounts');
  withStore(command).action(async (options: StoreOptions) =>
    (await import('./accounts.ts')).runAccounts(options, ports),
  );
  command.addCommand(addCommand(ports));
  command.addCommand(limitCommand(ports));
  command.addCommand(profileCommand(ports));
  return command;
}

function addCommand(ports: ProcessPorts): Command {
  const command = new Command('add')
    .description('register an account whose App installation webhook was missed')
    .argument('<login>', 'the organisation or user at GitHub', parseLogin)
    .requiredOption('--id <id>', 'its id at GitHub', parseId)
    .requiredOption('--installation <id>', 'the id of the installation of the App', parseId)
    .option('--move-installation', 'take the installation from the account that has it')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', '\nExample: muster accounts add octo-org --id 4711 --installation 815');
  return withStore(command).action(async (login: string, options: AddOptions) =>
    (await import('./accounts.ts')).runAdd(login, options, ports),
  );
}

function limitCommand(ports: ProcessPorts): Command {
  const command = new Command('limit')
    .description('set the concurrency limit of an account; running jobs continue')
    .argument('<account>', 'its login or its id')
    .addOption(
      new Option('--platform <platform>', 'the platform of the limit')
        .choices(['linux', 'macos'])
        .default('linux'),
    )
    .option('--vcpus <count>', 'cores', parseAmount)
    .option('--memory-gb <count>', 'memory', parseAmount)
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', '\nExample: muster accounts limit octo-org --vcpus 64 --memory-gb 128');
  return withStore(command).action(async (account: string, options: LimitOptions) => {
    if (options.vcpus === undefined && options.memoryGb === undefined)
      command.error('error: give --vcpus, --memory-gb, or both');
    await (await import('./accounts.ts')).runLimit(account, options, ports);
  });
}

function parseId(text: string): string {
  if (!/^[1-9]\d{0,18}$/.test(text))
    throw new InvalidArgumentError('It must be the number that GitHub assigned.');
  return text;
}

function parseLogin(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text))
    throw new InvalidArgumentError('It must be a login at GitHub.');
  return text;
}

/** A limit of zero lets no job run. */
function parseAmount(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(text);
}
