/** Runs a program to its end and collects its output. Never rejects because of an exit status. */
import { spawn } from 'node:child_process';
import { errorCode } from './error-code.ts';

export interface Outcome {
  /** The exit status; 128 + n after signal n, which callers do not distinguish. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Ends the program when aborted; the call then rejects with its reason. */
  readonly unless?: AbortSignal;
  /** Called with each line of stderr, for progress of long work. */
  readonly onLine?: (line: string) => void;
}

export async function runCommand(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  options.unless?.throwIfAborted();
  const child = spawn(command, args, { cwd: options.cwd, env: options.env ?? process.env });
  const giveUp = (): void => void child.kill('SIGKILL');
  options.unless?.addEventListener('abort', giveUp);
  const out: string[] = [];
  const err: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err.push(text);
    for (const line of text.split('\n')) if (line !== '') options.onLine?.(line);
  });
  child.stdin.on('error', ignoreClosedPipe);
  child.stdin.end(options.input ?? '');
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  options.unless?.removeEventListener('abort', giveUp);
  options.unless?.throwIfAborted();
  return { status, stdout: out.join(''), stderr: err.join('') };
}

/** A program that does not read its input closes the pipe early; its exit status reports the rest. */
function ignoreClosedPipe(error: Error): void {
  if (errorCode(error) !== 'EPIPE') throw error;
}

export function isNotInstalled(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
