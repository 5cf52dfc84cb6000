/** Asks a program for its version by running it, which also proves that it can run on this machine. */
import type { Judge } from './judges.ts';
import { JudgeError } from './judge-error.ts';
import { runCommand } from './run-command.ts';

export async function probeVersion(judge: Judge, path: string): Promise<string> {
  if (judge.versionArgs === 'pinned') return judge.version;
  const said = await runCommand(path, judge.versionArgs).catch((error: unknown) => {
    throw new JudgeError(
      `${path} cannot be run: ${error instanceof Error ? error.message : String(error)}`,
      'remove it, then run: npm run real -- all',
      { cause: error },
    );
  });
  const version = /\d+(\.\d+)+/.exec(`${said.stdout}\n${said.stderr}`)?.[0];
  if (version === undefined) {
    throw new JudgeError(
      `${path} ${judge.versionArgs.join(' ')} prints no version (exit status ${said.status})`,
      'remove it, then run: npm run real -- all',
    );
  }
  return version;
}
