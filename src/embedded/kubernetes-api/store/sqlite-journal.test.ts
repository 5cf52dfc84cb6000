import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../lab/contracts/kubernetes-api/virtual-clock.ts';
import { isJsonObject, type Json } from '../json.ts';
import {
  crashed,
  openStore,
  scratchDirectory,
  thing,
  thingsIn,
  transactionsIn,
  type KeptStore,
} from '../../../../lab/contracts/kubernetes-api/store/scratch-store.ts';
import { JournalError } from './journal-error.ts';
import { SqliteJournal } from './sqlite-journal.ts';
import { openStoreFile } from './store-file.ts';
import { Store } from './store.ts';

function isFrozenThroughout(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThroughout);
}

describe('a store in SQLite', () => {
  it('loads the state of the close', () => {
    const directory = scratchDirectory();
    const { store, journal } = openStore(directory);
    store.put('things', '/a', thing('a'));
    store.put('things', '/b', thing('b'));
    store.put('things', '/a', thing('a', { value: 2 }));
    store.remove('things', '/b', thing('b'));
    store.put('others', 'space/a', thing('a'));
    journal.close();
    const again = openStore(directory);
    expect(again.store.revision).toBe(105);
    expect(thingsIn(again.store)).toEqual(thingsIn(store));
    expect(again.store.get('others', 'space/a')).toEqual(store.get('others', 'space/a'));
    again.journal.close();
  });

  it('loads all JSON exactly, and frozen', () => {
    const directory = scratchDirectory();
    const fields = fc.json({ maxDepth: 4 }).map((text): Json => JSON.parse(text));
    fc.assert(
      fc.property(fields, (value) => {
        const { store, journal } = openStore(directory);
        const stored = store.put('things', '/a', thing('a', { value }));
        journal.close();
        const again = openStore(directory);
        const read = again.store.get('things', '/a') ?? thing('lost');
        again.journal.close();
        expect(JSON.stringify(read)).toBe(JSON.stringify(stored));
        expect(isFrozenThroughout(read)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    '{"__proto__":{"polluted":true}}',
    '{"a":{"__proto__":null,"constructor":{"prototype":1}}}',
    '{"text":"\\ud800 \\u0000 \\u2028 \\ud83d\\ude00","":1}',
    '[1e21,5e-324,9007199254740991,0.1,-1]',
  ])('loads %s unchanged', (text) => {
    const directory = scratchDirectory();
    const { store, journal } = openStore(directory);
    const value: Json = JSON.parse(text);
    store.put('things', '/a', thing('a', { value }));
    journal.close();
    const again = openStore(directory);
    expect(JSON.stringify(again.store.get('things', '/a')?.['value'])).toBe(JSON.stringify(value));
    again.journal.close();
  });

  it('keeps a top-level field __proto__', () => {
    const directory = scratchDirectory();
    const { store, journal } = openStore(directory);
    const fields: Json = JSON.parse('{"__proto__":{"polluted":true}}');
    store.put('things', '/a', thing('a', isJsonObject(fields) ? fields : {}));
    journal.close();
    const again = openStore(directory);
    expect(JSON.stringify(again.store.get('things', '/a'))).toContain('"__proto__":{"polluted":true}');
    again.journal.close();
  });

  it('expires followers from before a restart, and shows the current state from the start', () => {
    const directory = scratchDirectory();
    const first = openStore(directory);
    first.store.put('things', '/a', thing('a'));
    const seen = first.store.revision;
    first.store.put('others', '/b', thing('b'));
    first.store.put('things', '/c', thing('c'));
    first.journal.close();
    const { store, journal } = openStore(directory);
    expect(store.follow('things', seen, () => undefined)).toBe('expired');
    const names: string[] = [];
    store.follow('all', 'start', ({ type, object }) => names.push(`${type} ${object.metadata.name}`));
    store.put('things', '/a', thing('a'));
    expect(names).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'MODIFIED a']);
    journal.close();
  });

  it('is loaded once, and accepts nothing after the close', () => {
    const { journal, store } = openStore(scratchDirectory());
    expect(() => journal.load()).toThrow('a journal is loaded once');
    journal.close();
    expect(() => store.put('things', '/a', thing('a'))).toThrow('closed journal');
    expect(thingsIn(store)).toEqual([]);
  });
});

describe('a group of changes', () => {
  it('is one transaction for any number of changes and waiters', async () => {
    const directory = scratchDirectory();
    const { store, journal, clock } = openStore(directory);
    const before = transactionsIn(directory);
    const waiting = Array.from({ length: 100 }, (_, index) => {
      store.put('things', `/${index}`, thing(`n${index}`));
      return store.durable();
    });
    expect(transactionsIn(directory) - before).toBe(0);
    clock.runDue();
    await Promise.all(waiting);
    expect(transactionsIn(directory) - before).toBe(1);
    journal.close();
  });

  it('is durable only once it is on the disk', async () => {
    const directory = scratchDirectory();
    const { store, journal, clock } = openStore(directory);
    store.put('things', '/a', thing('a'));
    const onDisk: number[] = [];
    const before = transactionsIn(directory);
    const durable = store.durable().then(() => onDisk.push(transactionsIn(directory) - before));
    await Promise.resolve();
    expect(onDisk).toEqual([]);
    clock.runDue();
    await durable;
    expect(onDisk).toEqual([1]);
    journal.close();
  });
});

describe('revisions', () => {
  it('are never reused, even when a crash lost the change', () => {
    const directory = scratchDirectory();
    const { store, journal } = openStore(directory);
    store.put('things', '/a', thing('a'));
    const seen = store.revision;
    const after = openStore(crashed(directory, join(directory, 'crashed')));
    expect(after.store.revision).toBeGreaterThanOrEqual(seen);
    expect(after.store.follow('things', seen, () => undefined)).toBe('expired');
    expect(thingsIn(after.store)).toEqual([]);
    after.journal.close();
    journal.close();
  });

  it('are reserved before they are visible, for any number at once', () => {
    const directory = scratchDirectory();
    const { store, journal } = openStore(directory);
    for (const round of [1, 2, 3]) {
      for (let index = 0; index < 901; index += 1) store.put('things', '/a', thing('a', { index }));
      const after = openStore(crashed(directory, join(directory, `crashed-${round}`)));
      expect(after.store.revision).toBeGreaterThanOrEqual(store.revision);
      after.journal.close();
    }
    journal.close();
  });

  it('keep rising through repeated crashes, and skip none after a close', () => {
    let directory = scratchDirectory();
    let last = 0;
    for (const round of [1, 2, 3]) {
      const { store, journal } = openStore(directory);
      const written = Number(store.put('things', '/a', thing('a')).metadata['resourceVersion']);
      expect(written).toBeGreaterThan(last);
      const next = crashed(directory, join(directory, `crashed-${round}`));
      journal.close();
      const closed = openStore(directory);
      expect(closed.store.revision).toBe(written);
      closed.journal.close();
      [directory, last] = [next, written];
    }
  });
});

/** A disk with little free space. */
function openOnFullDisk(directory: string): KeptStore {
  const file = openStoreFile(directory);
  const clock = new VirtualClock(0);
  const journal = new SqliteJournal(file, clock);
  const { page_count: pages } = file.database.prepare('PRAGMA page_count').get() ?? {};
  file.database.exec(`PRAGMA max_page_count = ${Number(pages) + 2}`);
  return { clock, journal, store: new Store({ historyMax: 100, firstRevision: 100, journal }) };
}

const bulky = { text: 'x'.repeat(100_000) };
const diskFull = {
  name: 'JournalError',
  trouble: 'WriteFailed',
  message: expect.stringMatching(
    /store\.db cannot be written: database or disk is full\. This process must stop/,
  ),
};

describe('a commit that fails', () => {
  it('is reported to all waiters', async () => {
    const { store, journal, clock } = openOnFullDisk(scratchDirectory());
    store.put('things', '/small', thing('small'));
    const small = store.durable();
    store.put('things', '/bulky', thing('bulky', bulky));
    const both = Promise.allSettled([small, store.durable()]);
    clock.runDue();
    const refused = { status: 'rejected', reason: expect.objectContaining(diskFull) };
    expect(await both).toEqual([refused, refused]);
    expect(() => journal.close()).toThrow(JournalError);
  });

  it('leaves a journal that rejects all later writes, and a store without the change', async () => {
    const directory = scratchDirectory();
    const { store, journal, clock } = openOnFullDisk(directory);
    store.put('things', '/bulky', thing('bulky', bulky));
    clock.runDue();
    const before = { revision: store.revision, things: thingsIn(store) };
    const heard: string[] = [];
    store.follow('things', store.revision, (event) => heard.push(event.key));
    expect(() => store.put('things', '/small', thing('small'))).toThrow(expect.objectContaining(diskFull));
    expect(() => store.remove('things', '/bulky', thing('bulky'))).toThrow(expect.objectContaining(diskFull));
    await expect(store.durable()).rejects.toMatchObject(diskFull);
    expect({ revision: store.revision, things: thingsIn(store), heard }).toEqual({ ...before, heard: [] });
    clock.runDue();
    expect(() => journal.close()).toThrow(expect.objectContaining(diskFull));
    const again = openStore(directory);
    expect(thingsIn(again.store)).toEqual([]);
    again.journal.close();
  });

  it('keeps all earlier durable writes, and nothing of the failed group', async () => {
    const directory = scratchDirectory();
    const { store, journal, clock } = openOnFullDisk(directory);
    store.put('things', '/first', thing('first'));
    const durable = store.durable();
    clock.runDue();
    await durable;
    const kept = thingsIn(store);
    store.put('things', '/second', thing('second'));
    store.put('things', '/bulky', thing('bulky', bulky));
    expect(() => journal.close()).toThrow(expect.objectContaining(diskFull));
    const again = openStore(directory);
    expect(thingsIn(again.store)).toEqual(kept);
    expect(again.store.revision).toBeGreaterThanOrEqual(store.revision);
    again.journal.close();
  });

  it('is reported at the start when the disk accepts no writes, and closes the file', () => {
    const directory = scratchDirectory();
    const file = openStoreFile(directory);
    file.database.exec('PRAGMA query_only = ON');
    expect(() => new SqliteJournal(file, new VirtualClock(0))).toThrow(
      expect.objectContaining({ trouble: 'WriteFailed' }),
    );
    expect(() => openStore(directory).journal.close()).not.toThrow();
  });

  it('is thrown to the writer whose revision could not be reserved', () => {
    const { store, journal } = openOnFullDisk(scratchDirectory());
    const writeAll = () => {
      for (let index = 0; index < 2000; index += 1)
        store.put('things', `/${index}`, thing(`n${index}`, bulky));
    };
    expect(writeAll).toThrow(expect.objectContaining(diskFull));
    expect(thingsIn(store)).toHaveLength(store.revision - 100);
    expect(() => journal.close()).toThrow(JournalError);
  });
});
