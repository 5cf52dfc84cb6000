/**
 * Runs long commands, such as a wipe, up to their deadline: without a shell, without a terminal, and never longer than
 * this process lives.
 */
import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { Command, RunCommand } from '../hosts/provider/static/wipe-command.ts';
import type { Clock } from '../platform/clock.ts';
import { badEnd, badStart, endProgram, startProgram } from './real-programs.ts';

export function realCommands(clock: Clock): RunCommand {
  return async (command) => {
    if (command.stop.aborted) throw new Error('this process is about to end');
    const child = startProgram(command);
    // The child has its own process group, so outside a container nothing else would end it.
    const endWithUs = (): void => endProgram(child);
    process.once('exit', endWithUs);
    try {
      await ended(child, command, clock);
    } finally {
      process.off('exit', endWithUs);
    }
  };
}

function ended(child: ChildProcess, command: Command, clock: Clock): Promise<void> {
  const { deadlineMs, stop, onOutput } = command;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = (why: string): void => {
    endProgram(child);
    reject(new Error(why));
  };
  const cancel = clock.after(deadlineMs, () => end(`it took longer than ${deadlineMs / 1000} s`));
  const stopped = (): void => end('it was interrupted, because the process that ran it ends');
  stop.addEventListener('abort', stopped, { once: true });
  for (const output of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder();
    output?.on('data', (piece: Buffer) => onOutput(decoder.write(piece)));
  }
  child.on('error', (error) => reject(badStart(error)));
  child.on('close', (code, signal) => (code === 0 ? resolve() : reject(badEnd(code, signal))));
  return promise.finally(() => {
    cancel();
    stop.removeEventListener('abort', stopped);
  });
}
