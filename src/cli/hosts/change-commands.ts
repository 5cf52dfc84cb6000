/**
 * The command definitions that change a fleet. Each command prints its plan and asks for confirmation, or needs
 * `--yes`.
 */
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

const hostText = 'host id, its first 8 letters, the server name, or the name of its machine';
const reasonText = 'record why, for the next operator';

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
    .description('put a host on hold: the manager does nothing to the host until you lift the hold')
    .argument('<host>', hostText)
    .requiredOption('--reason <text>', reasonText, parseReason)
    .option('--with-owner', 'allow this although a live machine has the host')
    .addHelpText('after', '\nExample: muster quarantine 3f0d2c4e --reason "slow disk, ticket 4711"');
  return withChange(command).action(async (host: string, options: QuarantineOptions) =>
    (await import('./quarantine.ts')).runQuarantine(host, options, ports),
  );
}

function unquarantineCommand(ports: ProcessPorts): Command {
  const command = new Command('unquarantine')
    .description('lift the hold on a host')
    .argument('<host>', hostText)
    .addHelpText('after', '\nExample: muster unquarantine 3f0d2c4e');
  return withNames(withChange(command)).action(async (host: string, options: ChangeOptions) =>
    (await import('./unquarantine.ts')).runUnquarantine(host, options, ports),
  );
}

function releaseCommand(ports: ProcessPorts): Command {
  const command = new Command('release')
    .description('release an unclaimed host: wipe it and return it to the pool')
    .argument('<host>', hostText)
    .option('--reason <text>', reasonText, parseReason)
    .option('--force', 'overrule doubts; needs --reason, and records the evidence')
    .option(
      '--pool-prefix <prefix>',
      'return the host to this pool (default: the pool of its machine, else of the manager)',
    )
    .addHelpText('after', '\nExample: muster release 77c0a1de --pool-prefix tuist-pool-');
  return withNames(withChange(command)).action(async (host: string, options: ReleaseOptions) => {
    if (options.force === true && options.reason === undefined)
      command.error('error: --force needs --reason TEXT, which is recorded with the order');
    await (await import('./release.ts')).runRelease(host, options, ports);
  });
}

function terminateCommand(ports: ProcessPorts): Command {
  const command = new Command('terminate')
    .description('end the rent of an unclaimed host; this cannot be undone')
    .argument('<host>', hostText)
    .requiredOption('--reason <text>', reasonText, parseReason)
    .option('--force', 'overrule doubts, and record the evidence')
    .addHelpText('after', '\nExample: muster terminate c2b9f7a5 --reason "not needed any more"');
  return withNames(withChange(command)).action(async (host: string, options: ReleaseOptions) =>
    (await import('./release.ts')).runTerminate(host, options, ports),
  );
}

function sweepCommand(ports: ProcessPorts): Command {
  const command = new Command('sweep')
    .description('show which stranded hosts would be reclaimed now, and why not the others')
    .option(
      '--yes',
      'order it: read each host again, and wipe and offer it again only if no machine speaks for it',
    )
    .option('--max <count>', 'reclaim at most this many hosts', parseCount, 5)
    .addOption(
      new Option(
        '--older-than <time>',
        'reclaim only hosts that the manager has reported as stranded for this long',
      )
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
    .description(
      'take a machine off its host and delete the machine; after an interruption, run it again to go on',
    )
    .argument('<machine>', 'NAMESPACE/MACHINE')
    .addOption(
      new Option(
        '--host <fate>',
        'choose what happens to the host; gone: the provider can no longer be asked about it',
      )
        .choices(['keep', 'release', 'gone'])
        .default('keep'),
    )
    .option('--reason <text>', reasonText, parseReason)
    .option('--pool-prefix <prefix>', 'with --host release: return the host to this pool')
    .addHelpText(
      'after',
      '\nExample: muster detach ci/runners-7xk2p --host keep --reason "look at its disk"',
    );
  return withNames(withChange(command)).action(async (machine: string, options: DetachOptions) => {
    if (options.host !== 'gone') return (await import('./detach.ts')).runDetach(machine, options, ports);
    if (options.reason === undefined)
      command.error('error: --host gone needs --reason TEXT, which is recorded');
    return (await import('./detach-gone.ts')).runDetachGone(machine, options, ports);
  });
}
