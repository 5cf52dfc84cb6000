/** The real ports to a cluster and to the terminal: environment, files, and programs that issue credentials. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import type { ClusterPorts } from '../cli/process-ports.ts';
import { realCommands } from './real-commands.ts';
import { realClock } from './real-ports.ts';
import { realPrograms } from './real-programs.ts';

export function realOutside(): ClusterPorts {
  return {
    env: process.env,
    readFile: (path) => readFile(path, 'utf8'),
    runProgram: realPrograms({
      clock: realClock,
      onComplaint: (command, text) => void process.stderr.write(`${command}: ${text}`),
    }),
    runCommand: realCommands(realClock),
    // A question needs a terminal for the question and for the answer.
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
  };
}

/** Asks on the error output, because the output may go into a file. Ctrl-C and the end of the input give no answer. */
async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = Promise.withResolvers<undefined>();
  lines.once('close', () => ended.resolve(undefined));
  lines.once('SIGINT', () => lines.close());
  try {
    return await Promise.race([ended.promise, lines.question(question)]);
  } finally {
    lines.close();
  }
}
