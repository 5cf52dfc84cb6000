/** Runs one task of the simulator in a thread, and sends progress and result. */
import { parentPort, workerData } from 'node:worker_threads';
import { doTask, type Task } from '../../lab/cli/lab-ports.ts';
import { realClock, realDrain, realUnhandled } from './real-ports.ts';
import type { ThreadMessage } from './real-threads.ts';

const reportEveryMs = 200;

async function main(port: NonNullable<typeof parentPort>, task: Task): Promise<void> {
  let isStopped = false;
  let reportedAt = 0;
  port.on('message', () => (isStopped = true));
  const send = (message: ThreadMessage): void => port.postMessage(message, []);
  const result = await doTask(task, {
    drain: realDrain(),
    unhandled: realUnhandled,
    isStopped: () => isStopped,
    progress: (done) => {
      if (realClock.now() - reportedAt < reportEveryMs) return;
      reportedAt = realClock.now();
      send({ done });
    },
  });
  send({ result });
  port.close();
}

if (parentPort === null) throw new Error('this file is the start of a thread');
await main(parentPort, workerData);
