/**
 * Opens the file of a store. It is first read on a read-only connection, and only a completely readable file is opened
 * for writing. So a damaged or newer file stays unchanged, byte for byte.
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

/** Created under another name until complete, so that an empty or partial `store.db` is always damage. */
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

/** A restored file often has other permissions. */
function protect(path: string): void {
  for (const file of withCompanions(path)) if (existsSync(file)) chmodSync(file, privateFile);
}

/** The database and its SQLite companion files. */
function withCompanions(path: string): readonly string[] {
  return [path, `${path}-wal`, `${path}-shm`, `${path}-journal`];
}

function read(path: string): Kept {
  // SQLite treats an empty file as new and discards its log.
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
    // Exclusive, so that no reader of the file can block a commit. A checkpoint moves the log of a crash into the file,
    // so that the remains of a truncated group never follow the groups of this process.
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
