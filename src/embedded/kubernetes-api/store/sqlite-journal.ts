/**
 * Keeps a store in a SQLite file. What is appended within one turn of the clock is written in one transaction, because
 * a transaction costs the same whether it holds one change or fifty.
 *
 * Revisions are reserved ahead: the file says a number that no revision given out has passed. A change that someone has
 * seen but that a crash took away therefore leaves a gap, and never a second change under its revision.
 */
import type { StatementSync } from 'node:sqlite';
import type { Clock } from '../../../platform/clock.ts';
import type { StoreEvent } from './event-log.ts';
import type { Journal, Kept } from './journal.ts';
import { writingError, type JournalError } from './journal-error.ts';
import { openStoreFile, type StoreFile } from './store-file.ts';

/** How many revisions are reserved at a time, and so at most skipped by a crash. */
const reserve = 1_000;

/** The text of an object to keep, or undefined for one to remove. */
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

  /** From here on the file is the journal's to close. */
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
    // Besides reserving revisions this shows, before anyone is served, that the disk takes writes.
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
    // A revision is seen as soon as this returns, so it must be reserved by then.
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
    // Who closes has stopped giving out revisions, so there is nothing to reserve.
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

  /** Half of the reserve is left when it is renewed, so that few changes have to wait for it. */
  #toReserve(): number {
    return this.#newest + reserve / 2 > this.#reserved ? this.#newest + reserve : this.#reserved;
  }

  /** A transaction that fails is left as it is: nothing more is written through this connection, and closing undoes it. */
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
