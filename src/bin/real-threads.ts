/** Threads of Node, each running one task of the simulator. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Done, TaskResult, Threads } from '../../lab/cli/lab-ports.ts';

/** What a thread sends: how far it is, or what it came to. */
export type ThreadMessage = { readonly done: Done } | { readonly result: TaskResult };

/** A run makes and forgets much at once: with the room of a server a fifth of its time would go into clearing up. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 } as const;

export const realThreads: Threads = {
  count: availableParallelism(),
  run: (task, { progress, stopped }) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./sim-thread.ts', import.meta.url), {
        workerData: task,
        resourceLimits,
      });
      void stopped.then(() => worker.postMessage('stop', []));
      worker.on('message', (message: ThreadMessage) => {
        if ('done' in message) progress(message.done);
        else resolve(message.result);
      });
      worker.on('error', reject);
      worker.on('exit', (status) =>
        reject(new Error(`a thread ended with ${status} before its work was done`)),
      );
    }),
};
