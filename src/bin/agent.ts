/** The entry point of the agent alone, which `npm run bundle:agent` makes into one file. */
import { agentCommand } from '../cli/agent.ts';
import { runCommands } from '../cli/run-commands.ts';
import { realOutside } from './real-outside.ts';
import { realClock, realRandom } from './real-ports.ts';
import { realProcess } from './real-process.ts';

/** Replaced by the bundler; a bundle has no package.json beside it. */
declare const BUNDLED_VERSION: string;

const terminal = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
};
const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});
const ports = {
  terminal,
  clock: realClock,
  random: realRandom,
  stopped,
  life: realProcess,
  outside: realOutside(),
};

process.exitCode = await runCommands(process.argv.slice(2), {
  version: BUNDLED_VERSION,
  commands: [agentCommand(ports)],
  terminal,
});
