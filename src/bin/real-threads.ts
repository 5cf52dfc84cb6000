/** Worker threads of Node; each runs one task of the simulator. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Done, TaskResult, Threads } from '../../lab/cli/lab-ports.ts';

/** A message of a thread: its progress or its result. */
export type ThreadMessage = { readonly done: Done } | { readonly result: TaskResult };

/**
 * A run allocates much short-lived memory. With the default limit of the young generation, a fifth of the time goes
 * into garbage collection.
 */
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
