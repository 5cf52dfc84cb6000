/** Helpers for tests of a persistent store: a directory, its files, and objects to store. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { VirtualClock } from '../virtual-clock.ts';
import type { JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { KubeObject } from '../../../../src/embedded/kubernetes-api/kube-object.ts';
import { SqliteJournal } from '../../../../src/embedded/kubernetes-api/store/sqlite-journal.ts';
import { Store } from '../../../../src/embedded/kubernetes-api/store/store.ts';

export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'muster-store-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function thing(name: string, fields: JsonObject = {}): KubeObject {
  return { ...fields, apiVersion: 'v1', kind: 'Thing', metadata: { name } };
}

export interface KeptStore {
  readonly clock: VirtualClock;
  readonly journal: SqliteJournal;
  readonly store: Store;
}

export function openStore(directory: string): KeptStore {
  const clock = new VirtualClock(0);
  const journal = SqliteJournal.open(directory, clock);
  return { clock, journal, store: new Store({ historyMax: 100, firstRevision: 100, journal }) };
}

/** Every object of the resource `things`, as text. */
export function thingsIn(store: Store): readonly string[] {
  const snapshot = store.list('things');
  return snapshot === 'expired' ? ['expired'] : snapshot.items.map((item) => JSON.stringify(item));
}

/** Copies the files as they are on disk now: the state after a kill of the process. */
export function crashed(directory: string, into: string): string {
  mkdirSync(into);
  for (const file of ['store.db', 'store.db-wal']) {
    if (existsSync(join(directory, file))) copyFileSync(join(directory, file), join(into, file));
  }
  return into;
}

/** Counts the transactions in the log of SQLite: the last frame of a transaction contains the size of the database. */
export function transactionsIn(directory: string): number {
  const log = readFileSync(join(directory, 'store.db-wal'));
  const [headerSize, frameHeaderSize] = [32, 24];
  const frameSize = frameHeaderSize + log.readUInt32BE(8);
  let transactions = 0;
  for (let frame = headerSize; frame + frameSize <= log.length; frame += frameSize) {
    if (log.readUInt32BE(frame + 4) > 0) transactions += 1;
  }
  return transactions;
}
