/**
 * Persists a store in a SQLite file. All changes of one tick are written in one transaction, because a transaction
 * costs the same for one change and for fifty.
 *
 * Revisions are reserved ahead: the file has an upper bound of all issued revisions. A change that a client has seen
 * and a crash has lost therefore leaves a gap, and its revision is never reused.
 */
import type { StatementSync } from 'node:sqlite';
import type { Clock } from '../../../platform/clock.ts';
import type { StoreEvent } from './event-log.ts';
import type { Journal, Kept } from './journal.ts';
import { writingError, type JournalError } from './journal-error.ts';
import { openStoreFile, type StoreFile } from './store-file.ts';

/** The number of revisions reserved at a time, and so the most that a crash skips. */
const reserve = 1_000;

/** The text of an object, or undefined for a removal. */
type Change = Pick<StoreEvent, 'resource' | 'key' | 'revision'> & { readonly text: string | undefined };

export class SqliteJournal implements Journal {
  readonly #file: StoreFile;
  readonly #clock: Clock;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #reserve: StatementSync;
  #kept: Kept | undefined;
  #newest: number;
  #reserved = 0;
  #group: Change[] = [];
  #waiters: PromiseWithResolvers<void> | undefined;
  #cancelFlush: (() => void) | undefined;
  #failure: JournalError | undefined;
  #isClosed = false;

  static open(directory: string, clock: Clock): SqliteJournal {
    return new SqliteJournal(openStoreFile(directory), clock);
  }

  /** The journal takes over the file and closes it. */
  constructor(file: StoreFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#put = file.database.prepare(
      'INSERT OR REPLACE INTO objects (resource, key, revision, object) VALUES (?, ?, ?, ?)',
    );
    this.#remove = file.database.prepare('DELETE FROM objects WHERE resource = ? AND key = ?');
    this.#reserve = file.database.prepare("UPDATE facts SET value = ? WHERE name = 'revision'");
    this.#kept = file.kept;
    this.#newest = file.kept.revision;
    // Reserves revisions, and also checks at the start that the disk accepts writes.
    this.#flush();
    if (this.#failure !== undefined) this.close();
  }

  load(): Kept {
    const kept = this.#kept;
    if (kept === undefined) throw new Error('a journal is loaded once');
    this.#kept = undefined;
    return kept;
  }

  append({ type, resource, key, revision, object }: StoreEvent): void {
    this.#refuseIfOver();
    const text = type === 'DELETED' ? undefined : JSON.stringify(object);
    this.#group.push({ resource, key, revision, text });
    this.#newest = revision;
    // A revision is visible when this returns, so it must be reserved before.
    if (revision > this.#reserved) this.#flush();
    else this.#cancelFlush ??= this.#clock.after(0, () => this.#flush());
    if (this.#failure !== undefined) throw this.#failure;
  }

  durable(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#group.length === 0) return Promise.resolve();
    this.#waiters ??= Promise.withResolvers();
    return this.#waiters.promise;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // At the close no more revisions are issued, so none are reserved.
    if (this.#failure === undefined) this.#flush(this.#newest);
    this.#file.close();
    if (this.#failure !== undefined) throw this.#failure;
  }

  #refuseIfOver(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isClosed) throw new Error('a change was appended to a closed journal');
  }

  #flush(reserved: number = this.#toReserve()): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const [group, waiters] = [this.#group, this.#waiters];
    [this.#group, this.#waiters] = [[], undefined];
    try {
      this.#commit(group, reserved);
      waiters?.resolve();
    } catch (error) {
      this.#failure = writingError(this.#file.path, error);
      waiters?.reject(this.#failure);
    }
  }

  /** Renews the reserve at the half, so that few changes wait for it. */
  #toReserve(): number {
    return this.#newest + reserve / 2 > this.#reserved ? this.#newest + reserve : this.#reserved;
  }

  /** A failed transaction stays open: nothing more is written on this connection, and closing rolls it back. */
  #commit(group: readonly Change[], reserved: number): void {
    this.#file.database.exec('BEGIN IMMEDIATE');
    for (const { resource, key, revision, text } of group) {
      if (text === undefined) this.#remove.run(resource, key);
      else this.#put.run(resource, key, revision, text);
    }
    if (reserved !== this.#reserved) this.#reserve.run(reserved);
    this.#file.database.exec('COMMIT');
    this.#reserved = reserved;
  }
}
