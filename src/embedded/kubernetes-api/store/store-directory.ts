/**
 * The directory of a store: private to its user, and open in one process at a time. The operating system releases the
 * lock when the process ends in any way.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const privateFile = 0o600;
const privateDirectory = 0o700;

/**
 * Creates the missing parts of the path, from the top. Existing directories are not changed, because they may have
 * other content. (Node's recursive mkdir never returns where the system answers ENOENT below an existing parent.)
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

/** Makes created and renamed files in the directory durable against a power cut. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the unlock function. Throws when this or another process has the directory open. */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'lock');
  createPrivately(path);
  const database = new DatabaseSync(path);
  try {
    // Nothing is ever written here, so no rollback journal file is needed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw error;
  }
  return () => database.close();
}

/** Never opens an existing file: closing it would drop the locks of this process on it. */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', privateFile));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
