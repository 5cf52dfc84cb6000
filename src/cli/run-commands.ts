/**
 * Runs one of some commands. Exit status 0: done; 1: failed, with the cause; 64: wrong usage, with the
 * expected form.
 */
import { Command, CommanderError } from 'commander';
import { WrongSettings } from '../platform/settings/read-settings.ts';
import { takeEachOptionOnce } from './reject-duplicate-options.ts';
import type { Terminal } from './terminal.ts';

const failed = 1;
const wrongUsage = 64;

export interface CommandLine {
  readonly version: string;
  readonly commands: readonly Command[];
  readonly terminal: Terminal;
}

export async function runCommands(
  args: readonly string[],
  { version, commands, terminal }: CommandLine,
): Promise<number> {
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
  for (const command of commands) program.addCommand(command);
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
