/** Sends steps to the measured process, and waits for its figures. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const figures = z.record(z.string(), z.number());
export type Figures = z.infer<typeof figures>;

export interface Child<Step extends string> {
  readonly ask: (step: Step) => Promise<Figures>;
  readonly end: () => Promise<void>;
}

export interface ChildOrder {
  /** A file beside this one. */
  readonly program: string;
  readonly args: readonly string[];
  /** Flags of Node, beside those of every command. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The settings of `bin/muster`, its cache of compiled code included, and a callable garbage collector. */
const settings = ['--max-semi-space-size=4', '--expose-gc'];

export function startChild<Step extends string>({
  program,
  args,
  flags = [],
  env = {},
}: ChildOrder): Child<Step> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const cache = join(process.cwd(), 'node_modules', '.cache', 'muster');
  const child = fork(file, args, {
    execArgv: [...settings, ...flags],
    env: { ...process.env, ...env, NODE_COMPILE_CACHE: cache },
  });
  const gone = once(child, 'exit');
  const died = new AbortController();
  child.once('exit', () => died.abort());
  return {
    ask: async (step) => {
      const answer = once(child, 'message', { signal: died.signal });
      child.send(step);
      const [said]: readonly unknown[] = await answer;
      return figures.parse(said);
    },
    end: async () => {
      child.disconnect();
      await gone;
    },
  };
}
