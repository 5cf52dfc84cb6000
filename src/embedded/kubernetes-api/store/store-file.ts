/**
 * Opens the file of a store. It is read through a connection that cannot write, and only a file that was read whole is
 * opened for writing; so one that is damaged, or newer than this code, stays as it was found, byte for byte.
 */
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBrokenLog } from './broken-log.ts';
import type { Kept } from './journal.ts';
import { openingError } from './journal-error.ts';
import {
  createPrivately,
  lockDirectory,
  makeDirectory,
  privateFile,
  syncDirectory,
} from './store-directory.ts';
import { damaged, readKept, schema } from './store-format.ts';

export interface StoreFile {
  readonly path: string;
  readonly kept: Kept;
  readonly database: DatabaseSync;
  close(): void;
}

export function openStoreFile(directory: string): StoreFile {
  const path = join(directory, 'store.db');
  try {
    makeDirectory(directory);
    return openLocked(path, lockDirectory(directory));
  } catch (error) {
    throw openingError(path, error);
  }
}

function openLocked(path: string, unlock: () => void): StoreFile {
  try {
    if (!existsSync(path)) create(path);
    protect(path);
    const kept = read(path);
    const database = openForWriting(path);
    return { path, kept, database, close: () => closeAll(database, unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

function closeAll(database: DatabaseSync, unlock: () => void): void {
  try {
    database.close();
  } finally {
    unlock();
  }
}

/** Under another name until it is complete: an empty or half-made `store.db` is then always damage, never a beginning. */
function create(path: string): void {
  if (holdsAnything(`${path}-wal`)) throw damaged(path, 'the file is gone, but not its log of changes');
  const draft = `${path}.new`;
  for (const leftover of withCompanions(draft)) rmSync(leftover, { force: true });
  createPrivately(draft);
  const database = new DatabaseSync(draft);
  try {
    database.exec(`PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL; BEGIN; ${schema} COMMIT`);
  } finally {
    database.close();
  }
  renameSync(draft, path);
  syncDirectory(dirname(path));
}

function holdsAnything(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** A file put back from a backup often has the permissions of whoever put it there. */
function protect(path: string): void {
  for (const file of withCompanions(path)) if (existsSync(file)) chmodSync(file, privateFile);
}

/** The database, and the files SQLite keeps beside it. */
function withCompanions(path: string): readonly string[] {
  return [path, `${path}-wal`, `${path}-shm`, `${path}-journal`];
}

function read(path: string): Kept {
  // SQLite takes an empty file for a new one and throws its log of changes away.
  if (!holdsAnything(path)) throw damaged(path, 'it is empty');
  if (holdsAnything(`${path}-wal`) && isBrokenLog(readFileSync(`${path}-wal`)))
    throw damaged(path, 'its log of changes is broken in the middle');
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return readKept(database, path);
  } finally {
    database.close();
  }
}

function openForWriting(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    // Exclusive, so that nobody who looks into the file can hold up a commit. What a crash left in the log is folded
    // into the file, so that remains of a group it cut short never stand behind the groups of this process.
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      BEGIN IMMEDIATE;
      COMMIT;
      PRAGMA wal_checkpoint(TRUNCATE);
    `);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
