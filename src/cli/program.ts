/**
 * The command line: one file per command. Exit status 0: done; 1: failed, with the cause; 64: wrong usage, with the
 * expected form.
 */
import { Command, CommanderError } from 'commander';
import { apiserverCommand } from './apiserver.ts';
import { dispatchCommand } from './dispatch.ts';
import { fleetCommands } from './hosts/commands.ts';
import { managerCommand } from './manager.ts';
import { takeEachOptionOnce } from './reject-duplicate-options.ts';
import type { ProcessPorts } from './process-ports.ts';
import { WrongSettings } from '../platform/settings/read-settings.ts';
import { runnerCommands } from './jobs/commands.ts';

const failed = 1;
const wrongUsage = 64;

export async function runProgram(
  args: readonly string[],
  version: string,
  ports: ProcessPorts,
): Promise<number> {
  const { terminal } = ports;
  const program = new Command('muster')
    .description('Keeps a CI fleet of rented Mac minis and Linux nodes healthy, and can say why.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    // Options after a nested command belong to the nested command.
    .enablePositionalOptions()
    .showHelpAfterError('Run muster --help for the list of commands.')
    .exitOverride();
  for (const command of [
    managerCommand(ports),
    dispatchCommand(ports),
    ...fleetCommands(ports),
    ...runnerCommands(ports),
    apiserverCommand(ports),
    ...(ports.labCommands?.(ports) ?? []),
  ])
    program.addCommand(command);
  inheritSettings(program);
  takeEachOptionOnce(program);
  if (args.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage;
    if (error instanceof WrongSettings) {
      terminal.err(error.problems.map((problem) => `error: ${problem}\n`).join(''));
      return wrongUsage;
    }
    terminal.err(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return failed;
  }
}

/** Commander copies settings only to commands that the parent itself creates. */
function inheritSettings(command: Command): void {
  for (const nested of command.commands) inheritSettings(nested.copyInheritedSettings(command));
}
