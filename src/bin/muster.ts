/** The entry point of the command line: builds the real terminal, clock and random source, and sets the exit status. */
import { readFileSync } from 'node:fs';
import { runProgram } from '../cli/program.ts';
import { labCommands } from '../../lab/cli/commands.ts';
import { startDatabase } from './real-database.ts';
import { makeAppKey, makeSshKey, newToken } from './real-keys.ts';
import { realOutside } from './real-outside.ts';
import { realClock, realDrain, realRandom, realUnhandled } from './real-ports.ts';
import { realProcess } from './real-process.ts';
import { realThreads } from './real-threads.ts';

/** The exit status that a shell reports for SIGPIPE (128 + 13). */
const readerLeft = 141;

/** Without its output the command cannot finish: exit at once. */
process.stdout.on('error', ({ message, code }: NodeJS.ErrnoException) => {
  // A reader that closes early, such as `head`, is no failure; a full disk is.
  if (code === 'EPIPE') process.exit(readerLeft);
  process.stderr.write(`error: failed to write the output: ${message}\n`);
  process.exit(1);
});

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});

process.exitCode = await runProgram(process.argv.slice(2), manifest.version, {
  terminal: {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    ...(process.stdout.isTTY && { columns: () => process.stdout.columns }),
  },
  clock: realClock,
  random: realRandom,
  newToken,
  stopped,
  drain: realDrain(),
  unhandled: realUnhandled,
  life: realProcess,
  labCommands: labCommands(realThreads),
  makeSshKey,
  outside: realOutside(),
  jobs: { startDatabase: () => startDatabase({ clock: realClock, machine: process }), makeAppKey },
});
