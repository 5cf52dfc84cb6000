/**
 * Runs other programs without a shell and without a terminal, with a time limit and an output limit. The output goes to
 * the caller; standard error goes to a hook as it comes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Clock } from '../platform/clock.ts';
import type { ConnectionPorts, Program } from '../kube/client/connection.ts';

export interface ProgramLimits {
  readonly clock: Clock;
  /** Receives the standard error of a program, piece by piece. */
  readonly onComplaint: (command: string, text: string) => void;
  readonly timeoutMs?: number;
  readonly bytesMax?: number;
}

const timeoutDefaultMs = 60_000;
const bytesDefaultMax = 1024 * 1024;

/** Errors never contain the output, which may hold a secret. */
export function realPrograms(limits: ProgramLimits): ConnectionPorts['runProgram'] {
  const { clock, timeoutMs = timeoutDefaultMs } = limits;
  return (program) =>
    new Promise((resolve, reject) => {
      const child = startProgram(program);
      const end = (error: Error): void => {
        endProgram(child);
        reject(error);
      };
      const cancel = clock.after(timeoutMs, () =>
        end(new Error(`it took longer than ${timeoutMs / 1000} s`)),
      );
      const output = collect(child, program, { ...limits, end });
      child.on('error', (error) => {
        cancel();
        reject(badStart(error));
      });
      child.on('close', (code, signal) => {
        cancel();
        if (code === 0) resolve(output());
        else reject(badEnd(code, signal));
      });
    });
}

export function badEnd(code: number | null, signal: string | null): Error {
  return new Error(
    code === null ? `it was ended by ${signal ?? 'an unknown signal'}` : `it ended with ${code}`,
  );
}

export function badStart(error: Error): Error {
  const isMissing = 'code' in error && error.code === 'ENOENT';
  return isMissing ? new Error('there is no such program') : error;
}

/** Starts the program in its own process group, so that it can be ended together with its children. */
export function startProgram({ command, args, env }: Program): ChildProcess {
  return spawn(command, [...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

interface Collecting extends ProgramLimits {
  readonly end: (error: Error) => void;
}

function collect(child: ChildProcess, { command }: Program, limits: Collecting): () => string {
  const { bytesMax = bytesDefaultMax, onComplaint, end } = limits;
  const pieces: Buffer[] = [];
  let printed = 0;
  let complained = 0;
  child.stdout?.on('data', (piece: Buffer) => {
    printed += piece.length;
    if (printed <= bytesMax) pieces.push(piece);
    else end(new Error(`it printed more than ${bytesMax} bytes`));
  });
  child.stderr?.on('data', (piece: Buffer) => {
    complained += piece.length;
    if (complained <= bytesMax) onComplaint(command, piece.toString());
  });
  return () => Buffer.concat(pieces).toString();
}

export function endProgram(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The group may have ended in the meantime.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
