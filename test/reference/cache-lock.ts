/**
 * A lock between processes that the operating system releases when its holder dies, in any way. An SQLite transaction
 * gives that on every platform of Node. A lock file with a process id would need to be stolen from dead holders, and
 * two thieves can both succeed.
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
