/** Reads the version of a program by running it, which also proves that the program can run on this machine. */
import type { ReferenceProgram } from './programs.ts';
import { MissingReferenceError } from './reference-error.ts';
import { runCommand } from './run-command.ts';

export async function probeVersion(program: ReferenceProgram, path: string): Promise<string> {
  if (program.versionArgs === 'pinned') return program.version;
  const said = await runCommand(path, program.versionArgs).catch((error: unknown) => {
    throw new MissingReferenceError(
      `${path} cannot be run: ${error instanceof Error ? error.message : String(error)}`,
      'remove it, then run: npm run references -- all',
      { cause: error },
    );
  });
  const version = /\d+(\.\d+)+/.exec(`${said.stdout}\n${said.stderr}`)?.[0];
  if (version === undefined) {
    throw new MissingReferenceError(
      `${path} ${program.versionArgs.join(' ')} prints no version (exit status ${said.status})`,
      'remove it, then run: npm run references -- all',
    );
  }
  return version;
}
