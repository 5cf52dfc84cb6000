/**
 * Ends what a simulated Mac started, however it was started. Each process of a Mac has its root folder in its environment,
 * which only that Mac uses; so a pid that the system gave to another process is never hit.
 */
import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process that is about to become another program has no environment for a moment. */
const looksMax = 50;

/** Empty where there is no /proc. */
export async function processesOf(root: string): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => [] as string[]);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => ((await belongsTo(pid, root)) ? [pid] : [])));
  return found.flat();
}

/** Resolves when none is left. A process that forks while it is killed leaves its child to the next look. */
export async function endProcessesOf(root: string): Promise<void> {
  for (let pids = await processesOf(root); pids.length > 0; pids = await processesOf(root)) {
    for (const pid of pids) sendSignal(pid, 'SIGKILL');
  }
}

/** To a process, or to a process group when negative. False when there is none any more. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

async function belongsTo(pid: number, root: string): Promise<boolean> {
  for (let looks = 0; looks < looksMax; looks += 1) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').then(
      (text) => text,
      () => undefined,
    );
    if (environment !== '') return environment?.split('\0').includes(`MUSTER_ROOT=${root}`) ?? false;
    // Neither a process that has ended and was not waited for nor a thread of the kernel has a program.
    const hasProgram = await readlink(`/proc/${pid}/exe`).then(
      () => true,
      () => false,
    );
    if (!hasProgram) return false;
  }
  return false;
}
