/** Tells the measured process what to do next, and waits for what it says of it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export type Step = 'ready' | 'sync' | 'collect' | 'rest' | 'report';
const figures = z.record(z.string(), z.number());
export type Figures = z.infer<typeof figures>;

export interface Child {
  readonly ask: (step: Step) => Promise<Figures>;
  readonly end: () => Promise<void>;
}

/** With the settings of `bin/muster`, its cache of compiled code included, and a collector that can be called. */
const settings = ['--max-semi-space-size=4', '--expose-gc'];

export function startChild(mode: 'informers' | 'raw', kubeconfig: string): Child {
  const program = fileURLToPath(new URL('informer-child.ts', import.meta.url));
  const env = { ...process.env, NODE_COMPILE_CACHE: join(process.cwd(), 'node_modules', '.cache', 'muster') };
  const child = fork(program, [mode, kubeconfig], { execArgv: settings, env });
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
