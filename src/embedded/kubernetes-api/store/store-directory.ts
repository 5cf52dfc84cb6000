/**
 * The directory a store lives in: private to its user, and open in one process at a time. The lock is one that the
 * operating system takes back when the process ends, however it ends.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const privateFile = 0o600;
const privateDirectory = 0o700;

/**
 * Makes what is missing of the path, from the top. A directory that is there stays as it is: it may hold more than a
 * store. (Node's own recursive way never returns where the system answers ENOENT below a parent that exists.)
 */
export function makeDirectory(directory: string): void {
  const path = resolve(directory);
  if (isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above);
  mkdirSync(path, { mode: privateDirectory });
  syncDirectory(above);
}

function isDirectory(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) throw new Error(`${path} is a file, not a folder`);
  return found !== undefined;
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
