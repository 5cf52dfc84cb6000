/** The additional ports of lab commands. */
import type { ProcessPorts } from '../../src/cli/process-ports.ts';
import type { Done } from '../simulator/engine/sim-runner.ts';
import { doTask, type Task, type TaskResult } from '../simulator/engine/tasks.ts';

export { doTask };
export type { Done, Task, TaskResult };

export interface LabPorts extends ProcessPorts {
  /** Without them, simulations run in the thread of the command. */
  readonly threads?: Threads;
}

export interface Threads {
  /** The number of available cores. */
  readonly count: number;
  /** Runs a task in its own thread. */
  run(task: Task, ports: ThreadPorts): Promise<TaskResult>;
}

export interface ThreadPorts {
  readonly progress: (done: Done) => void;
  readonly stopped: Promise<void>;
}
