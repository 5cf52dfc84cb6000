/** Runs tasks of the simulator, in parallel on all threads, and reports their common progress. */
import { doTask, type Task, type TaskResult } from '../simulator/engine/tasks.ts';
import type { Done, RunnerPorts } from '../simulator/engine/sim-runner.ts';
import type { LabPorts } from './lab-ports.ts';

export interface TaskPorts {
  readonly process: LabPorts;
  /** The number of parallel tasks; one without threads. */
  readonly workers: number;
  readonly progress: (done: Done) => void;
  readonly finished?: (result: TaskResult) => void;
}

/** Returns the results in the order of the tasks. Tasks that a stop prevented are missing. */
export async function runTasks(tasks: readonly Task[], ports: TaskPorts): Promise<readonly TaskResult[]> {
  const state = { isStopped: false, next: 0 };
  void ports.process.stopped.then(() => (state.isStopped = true));
  const done = tasks.map((): Done => ({ runs: 0, events: 0, failed: 0, broken: [] }));
  const results = new Map<number, TaskResult>();
  const work = async (): Promise<void> => {
    while (state.next < tasks.length && !state.isStopped) {
      const index = state.next;
      state.next += 1;
      const task = tasks[index];
      if (task === undefined) return;
      const progress = (one: Done): void => {
        done[index] = one;
        ports.progress(total(done));
      };
      const result = await runTask(task, { ...ports, progress }, () => state.isStopped);
      results.set(index, result);
      ports.finished?.(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(ports.workers, tasks.length) }, work));
  return [...results].toSorted(([a], [b]) => a - b).map(([, result]) => result);
}

function runTask(
  task: Task,
  { process, workers, progress }: TaskPorts,
  isStopped: () => boolean,
): Promise<TaskResult> {
  const { threads, stopped } = process;
  // A single task gains nothing from a thread, and starts sooner here.
  if (threads !== undefined && workers > 1) return threads.run(task, { progress, stopped });
  return doTask(task, { ...runnerPortsOf(process), progress, isStopped });
}

/** One timer of any clock is enough to let every promise continue. */
export function runnerPortsOf(ports: LabPorts): Pick<RunnerPorts, 'drain' | 'unhandled'> {
  const { drain, clock, unhandled } = ports;
  return {
    drain: drain ?? (() => new Promise((resolve) => void clock.after(0, resolve))),
    ...(unhandled !== undefined && { unhandled }),
  };
}

function total(all: readonly Done[]): Done {
  return all.reduce((a, b) => ({
    runs: a.runs + b.runs,
    events: a.events + b.events,
    failed: a.failed + b.failed,
    broken: [...a.broken, ...b.broken],
  }));
}
