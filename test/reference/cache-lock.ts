/**
 * A lock between processes that the operating system drops when its holder dies, however it dies.
 * An SQLite transaction gives that on every platform Node runs on; a lock file with a process id in it
 * would need to be stolen from the dead, and two thieves can both succeed.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

const sqliteBusy = 5;
const pollMs = 250;

export async function withLock<T>(
  lock: { readonly file: string; readonly onWait: () => void },
  run: () => Promise<T>,
): Promise<T> {
  const database = new DatabaseSync(lock.file);
  try {
    let reported = false;
    while (!tryLock(database)) {
      if (!reported) lock.onWait();
      reported = true;
      await wait(pollMs);
    }
    return await run();
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return false;
    throw error;
  }
}
