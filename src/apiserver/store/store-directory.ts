/**
 * The directory a store lives in: private to its user, and open in one process at a time. The lock is one that the
 * operating system takes back when the process ends, however it ends.
 */
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const privateFile = 0o600;
const privateDirectory = 0o700;

/** Makes what is missing of the path. A directory that is there stays as it is: it may hold more than a store. */
export function makeDirectory(directory: string): void {
  const topmost = mkdirSync(directory, { recursive: true, mode: privateDirectory });
  if (topmost === undefined) return;
  const above = dirname(resolve(topmost));
  for (let made = resolve(directory); made !== above; made = dirname(made)) syncDirectory(dirname(made));
}

/** Until then a file that was made or renamed in it may be gone after a power cut. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Gives the function that unlocks. Throws when another process, or this one, has the directory open. */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'lock');
  createPrivately(path);
  const database = new DatabaseSync(path);
  try {
    // Nothing is ever written here, so a file to undo it by would only lie around.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw error;
  }
  return () => database.close();
}

/** Never opens a file that is there: closing it again would drop the locks this process holds on it. */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', privateFile));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
