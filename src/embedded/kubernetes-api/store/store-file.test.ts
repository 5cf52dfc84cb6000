import { hash } from 'node:crypto';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import {
  crashed,
  openStore,
  scratchDirectory,
  thing,
  thingsIn,
} from '../../../../lab/contracts/kubernetes-api/store/scratch-store.ts';
import { JournalError } from './journal-error.ts';
import { lockDirectory } from './store-directory.ts';
import { openStoreFile } from './store-file.ts';

/** The files of a store with 200 objects in 10 groups: closed, or killed with all changes still in the log. */
function leftBehind(ending: 'closed' | 'killed'): string {
  const directory = scratchDirectory();
  const { store, journal, clock } = openStore(directory);
  for (let index = 0; index < 200; index += 1) {
    store.put('things', `/n${index}`, thing(`n${index}`, { password: 'hunter2', filler: 'x'.repeat(500) }));
    if (index % 20 === 19) clock.runDue();
  }
  const killed = crashed(directory, join(directory, 'killed'));
  journal.close();
  return ending === 'closed' ? directory : killed;
}

/** Fingerprints of all nonempty files, without SQLite's shared memory, which is recreated. */
function contents(directory: string): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ name }) => name).filter((name) => !name.endsWith('-shm'));
  const held = names.toSorted().map((name): [string, Buffer] => [name, readFileSync(join(directory, name))]);
  return new Map(
    held.filter(([, bytes]) => bytes.length > 0).map(([name, bytes]) => [name, hash('sha1', bytes)]),
  );
}

function refusal(directory: string): unknown {
  try {
    openStoreFile(directory).close();
    return 'opened';
  } catch (error) {
    return error;
  }
}

function alter(directory: string, sql: string): void {
  const database = new DatabaseSync(join(directory, 'store.db'));
  database.exec(sql);
  database.close();
}

function overwrite(file: string, at: number, text: string): void {
  const bytes = readFileSync(file);
  bytes.write(text, at, 'latin1');
  writeFileSync(file, bytes);
}

describe('a new store', () => {
  it('creates its directory, private to its user', () => {
    const directory = join(scratchDirectory(), 'made', 'here');
    const { store, journal, clock } = openStore(directory);
    store.put('things', '/a', thing('a'));
    clock.runDue();
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    expect([modeOf(directory), modeOf(join(directory, '..'))]).toEqual(['700', '700']);
    const files = readdirSync(directory).toSorted();
    expect(files).toEqual(expect.arrayContaining(['lock', 'store.db', 'store.db-wal']));
    expect(files.map((file) => modeOf(join(directory, file)))).toEqual(files.map(() => '600'));
    journal.close();
  });

  it('starts again after an interrupted start', () => {
    const directory = scratchDirectory();
    for (const suffix of ['', '-wal', '-journal'])
      writeFileSync(join(directory, `store.db.new${suffix}`), 'half');
    const { store, journal } = openStore(directory);
    expect(thingsIn(store)).toEqual([]);
    journal.close();
  });

  it('syncs the disk at each commit, which a process crash cannot show', () => {
    const file = openStoreFile(scratchDirectory());
    const setting = (name: string) => file.database.prepare(`PRAGMA ${name}`).get();
    expect([setting('journal_mode'), setting('synchronous')]).toEqual([
      { journal_mode: 'wal' },
      { synchronous: 2 },
    ]);
    file.close();
  });
});

describe('an existing store', () => {
  it('is made private again after a restore with open permissions', () => {
    const directory = leftBehind('killed');
    for (const file of ['store.db', 'store.db-wal']) chmodSync(join(directory, file), 0o644);
    const { journal } = openStore(directory);
    const modes = ['store.db', 'store.db-wal'].map((file) => statSync(join(directory, file)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
    journal.close();
  });

  it('is locked while open, and free afterwards', () => {
    const directory = scratchDirectory();
    const { journal } = openStore(directory);
    expect(refusal(directory)).toMatchObject({
      trouble: 'InUse',
      message: expect.stringMatching(
        /store\.db cannot be opened: database is locked\. Stop the other process/,
      ),
    });
    journal.close();
    expect(refusal(directory)).toBe('opened');
  });

  it('is locked while another process creates it', () => {
    const directory = scratchDirectory();
    const unlock = lockDirectory(directory);
    expect(refusal(directory)).toMatchObject({ trouble: 'InUse' });
    expect(readdirSync(directory)).toEqual(['lock']);
    unlock();
    expect(refusal(directory)).toBe('opened');
  });

  it('is rejected while another process reads the file', () => {
    const directory = leftBehind('closed');
    const reader = new DatabaseSync(join(directory, 'store.db'));
    reader.exec('BEGIN; SELECT * FROM facts');
    expect(refusal(directory)).toMatchObject({ trouble: 'InUse' });
    reader.close();
    expect(refusal(directory)).toBe('opened');
  });

  it('is rejected when its format is newer, with both versions and what to do', () => {
    const directory = leftBehind('closed');
    alter(
      directory,
      "UPDATE facts SET value = 7 WHERE name = 'format'; ALTER TABLE objects RENAME TO records",
    );
    const before = contents(directory);
    expect(refusal(directory)).toMatchObject({
      trouble: 'NewerFormat',
      message: expect.stringMatching(
        /has format 7, and this version understands 1\. Run the version that wrote it/,
      ),
    });
    expect(contents(directory)).toEqual(before);
  });

  it('is rejected when the path is no directory', () => {
    const file = join(scratchDirectory(), 'file');
    writeFileSync(file, '');
    expect(refusal(file)).toMatchObject({
      trouble: 'CannotOpen',
      message: expect.stringContaining('is a file, not a folder'),
    });
  });
});

const damages: readonly [string, 'closed' | 'killed', (directory: string) => void][] = [
  ['is no database', 'closed', (at) => writeFileSync(join(at, 'store.db'), 'not a database at all')],
  ['has another first page', 'closed', (at) => overwrite(join(at, 'store.db'), 0, 'nonsense')],
  ['is empty', 'closed', (at) => truncateSync(join(at, 'store.db'), 0)],
  ['is empty, with its log beside it', 'killed', (at) => truncateSync(join(at, 'store.db'), 0)],
  ['is gone, with its log left', 'killed', (at) => rmSync(join(at, 'store.db'))],
  ['has a log with a bad byte in it', 'killed', (at) => overwrite(join(at, 'store.db-wal'), 50_000, '?')],
  [
    'has a log with a bad name in it',
    'killed',
    (at) => overwrite(join(at, 'store.db-wal'), 32 + 8, '????????'),
  ],
  ['has a log with a bad beginning', 'killed', (at) => overwrite(join(at, 'store.db-wal'), 16, '????')],
  ['was cut off', 'closed', (at) => truncateSync(join(at, 'store.db'), 40_000)],
  ['has a page overwritten', 'closed', (at) => overwrite(join(at, 'store.db'), 8192, '\xff'.repeat(4096))],
  ['is of something else', 'closed', (at) => alter(at, 'DROP TABLE facts; CREATE TABLE songs (title TEXT)')],
  ['has no format', 'closed', (at) => alter(at, "DELETE FROM facts WHERE name = 'format'")],
  [
    'has no revision',
    'closed',
    (at) => alter(at, "DELETE FROM facts WHERE name = 'revision'; DELETE FROM objects"),
  ],
  ['has no objects', 'closed', (at) => alter(at, 'DROP TABLE objects')],
  [
    'holds an object cut short',
    'closed',
    (at) => alter(at, 'UPDATE objects SET object = substr(object, 1, 60)'),
  ],
  ['holds what is no object', 'closed', (at) => alter(at, "UPDATE objects SET object = '[]'")],
  ['holds an object of another revision', 'closed', (at) => alter(at, 'UPDATE objects SET revision = 1')],
  [
    'holds an object newer than itself',
    'closed',
    (at) => alter(at, "UPDATE facts SET value = 150 WHERE name = 'revision'"),
  ],
];

it('drops only the last group when a power cut left it incomplete', () => {
  const directory = leftBehind('killed');
  const log = join(directory, 'store.db-wal');
  overwrite(log, statSync(log).size - 4200, '\0'.repeat(24));
  const { store, journal } = openStore(directory);
  expect(thingsIn(store)).toHaveLength(180);
  journal.close();
});

describe('a store whose file', () => {
  it.each(damages)('%s is rejected and unchanged', (_, ending, damage) => {
    const directory = leftBehind(ending);
    damage(directory);
    const before = contents(directory);
    const error = refusal(directory);
    expect(error).toMatchObject({
      trouble: 'Damaged',
      message: expect.stringMatching(/store\.db .*Nothing was changed\. Keep a copy/),
    });
    expect(contents(directory)).toEqual(before);
    const cause = error instanceof JournalError ? error.cause : undefined;
    expect(`${String(error)} ${String(cause)}`).not.toContain('hunter2');
  });

  it('has a damaged log is rejected, with an unchanged log', () => {
    const directory = scratchDirectory();
    const file = openStoreFile(directory);
    file.database.exec("INSERT INTO objects VALUES ('things', '/a', 1, '[]')");
    const killed = crashed(directory, join(directory, 'killed'));
    file.close();
    const before = contents(killed);
    expect(refusal(killed)).toMatchObject({ trouble: 'Damaged' });
    expect([...before.keys()]).toEqual(['store.db', 'store.db-wal']);
    expect(contents(killed)).toEqual(before);
  });

  it('was rejected can be replaced', () => {
    const directory = leftBehind('closed');
    const good = join(directory, 'store.db');
    renameSync(good, `${good}.good`);
    writeFileSync(good, 'not a database at all');
    expect(refusal(directory)).toMatchObject({ trouble: 'Damaged' });
    renameSync(`${good}.good`, good);
    const { store, journal } = openStore(directory);
    expect(thingsIn(store)).toHaveLength(200);
    journal.close();
  });
});
