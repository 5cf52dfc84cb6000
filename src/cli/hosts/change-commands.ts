/** The commands that change something in a fleet, as they are typed. Each prints its plan and asks first, or wants `--yes`. */
import { Command, Option } from 'commander';
import { parseCount } from '../number-options.ts';
import type { ProcessPorts } from '../process-ports.ts';
import type { DetachOptions } from './detach-steps.ts';
import {
  parseReason,
  parseTime,
  withChange,
  withCluster,
  withJson,
  withNames,
  type ChangeOptions,
} from './options.ts';
import type { QuarantineOptions } from './quarantine.ts';
import type { ReleaseOptions } from './release-order.ts';
import type { SweepOptions } from './sweep.ts';

const hostText = 'id, the first 8 letters of it, or the name of the server or of the machine that holds it';
const reasonText = 'why, for whoever looks at it next';

export function changeCommands(ports: ProcessPorts): readonly Command[] {
  return [
    quarantineCommand(ports),
    unquarantineCommand(ports),
    releaseCommand(ports),
    terminateCommand(ports),
    sweepCommand(ports),
    detachCommand(ports),
  ];
}

function quarantineCommand(ports: ProcessPorts): Command {
  const command = new Command('quarantine')
    .description('keep a host aside: nothing is done to it until you let it go')
    .argument('<host>', hostText)
    .requiredOption('--reason <text>', reasonText, parseReason)
    .option('--with-owner', 'even though a living machine has it')
    .addHelpText('after', '\nExample: muster quarantine 3f0d2c4e --reason "slow disk, ticket 4711"');
  return withChange(command).action(async (host: string, options: QuarantineOptions) =>
    (await import('./quarantine.ts')).runQuarantine(host, options, ports),
  );
}

function unquarantineCommand(ports: ProcessPorts): Command {
  const command = new Command('unquarantine')
    .description('let a host go that is kept aside')
    .argument('<host>', hostText)
    .addHelpText('after', '\nExample: muster unquarantine 3f0d2c4e');
  return withNames(withChange(command)).action(async (host: string, options: ChangeOptions) =>
    (await import('./unquarantine.ts')).runUnquarantine(host, options, ports),
  );
}

function releaseCommand(ports: ProcessPorts): Command {
  const command = new Command('release')
    .description('have a host wiped and offered again that no living machine has')
    .argument('<host>', hostText)
    .option('--reason <text>', reasonText, parseReason)
    .option('--force', 'overrule doubts; needs --reason, and keeps the evidence')
    .option(
      '--pool-prefix <prefix>',
      'the pool it goes to (default: that of its machine, else of the manager)',
    )
    .addHelpText('after', '\nExample: muster release 77c0a1de --pool-prefix tuist-pool-');
  return withNames(withChange(command)).action(async (host: string, options: ReleaseOptions) => {
    if (options.force === true && options.reason === undefined)
      command.error('error: --force needs --reason TEXT, which is kept with the order');
    await (await import('./release.ts')).runRelease(host, options, ports);
  });
}

function terminateCommand(ports: ProcessPorts): Command {
  const command = new Command('terminate')
    .description('end the rent of a host that no living machine has; this cannot be undone')
    .argument('<host>', hostText)
    .requiredOption('--reason <text>', reasonText, parseReason)
    .option('--force', 'overrule doubts, and keep the evidence')
    .addHelpText('after', '\nExample: muster terminate c2b9f7a5 --reason "not needed any more"');
  return withNames(withChange(command)).action(async (host: string, options: ReleaseOptions) =>
    (await import('./release.ts')).runTerminate(host, options, ports),
  );
}

function sweepCommand(ports: ProcessPorts): Command {
  const command = new Command('sweep')
    .description('say which stranded hosts would be taken back now, and why not the others')
    .option('--yes', 'order it: each is read anew, and wiped and offered again only if nobody answers for it')
    .option('--max <count>', 'how many are taken at most', parseCount, 5)
    .addOption(
      new Option('--older-than <time>', 'how long the manager must have called a host stranded')
        .argParser(parseTime)
        .default(300_000, '5m'),
    )
    .addHelpText(
      'after',
      '\nExample: muster sweep --claim-prefix ci- --default-adopt-pool-prefix tuist-pool-',
    );
  return withJson(withNames(withCluster(command))).action(async (options: SweepOptions) =>
    (await import('./sweep.ts')).runSweep(options, ports),
  );
}

function detachCommand(ports: ProcessPorts): Command {
  const command = new Command('detach')
    .description('take a machine off its host and delete it; run it again to go on after an interruption')
    .argument('<machine>', 'NAMESPACE/MACHINE')
    .addOption(
      new Option('--host <fate>', 'what becomes of the host; gone: nobody can be asked about it any more')
        .choices(['keep', 'release', 'gone'])
        .default('keep'),
    )
    .option('--reason <text>', reasonText, parseReason)
    .option('--pool-prefix <prefix>', 'with --host release: the pool it goes to')
    .addHelpText(
      'after',
      '\nExample: muster detach ci/runners-7xk2p --host keep --reason "look at its disk"',
    );
  return withNames(withChange(command)).action(async (machine: string, options: DetachOptions) => {
    if (options.host !== 'gone') return (await import('./detach.ts')).runDetach(machine, options, ports);
    if (options.reason === undefined) command.error('error: --host gone needs --reason TEXT, which is kept');
    return (await import('./detach-gone.ts')).runDetachGone(machine, options, ports);
  });
}
