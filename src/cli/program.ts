/**
 * The command line: one file per command, gathered here. Exit statuses: 0 done, 1 failed,
 * 64 the command line itself was wrong (with a message that says how it should look).
 */
import { Command, CommanderError } from 'commander';
import type { Terminal } from './terminal.ts';
import { upCommand } from './up.ts';

const wrongUsage = 64;

export async function runProgram(
  args: readonly string[],
  about: { readonly version: string; readonly terminal: Terminal },
): Promise<number> {
  const { terminal, version } = about;
  const program = new Command('muster')
    .description('Keeps a CI fleet of rented Mac minis and Linux nodes healthy, and can say why.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('Run muster --help for the list of commands.')
    .exitOverride();
  program.addCommand(upCommand(terminal).copyInheritedSettings(program));
  try {
    if (args.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage;
    throw error;
  }
}
