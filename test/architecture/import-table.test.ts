import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { homeOf, importTable, mayImport } from './import-table.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../ARCHITECTURE.md'), 'utf8');
const walls = page.slice(page.indexOf('## Folders and walls'));

const namesIn = (cell: string): readonly string[] =>
  Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);

/** Rows read `| folder | may import | what is in it |`, with the folders as code. */
const rows = walls
  .slice(walls.indexOf('| folder'))
  .split('\n\n', 1)
  .flatMap((table) => table.split('\n').slice(2))
  .map((row) => row.split('|'))
  .map(([, folder = '', entries = '']) => ({
    folder: namesIn(folder)[0] ?? '',
    hasRooms: folder.includes('each sub-folder'),
    mayImport: namesIn(entries),
  }));

it('ARCHITECTURE.md has the same table', () => {
  expect(rows).toEqual(
    importTable.map((row) => ({
      folder: row.folder,
      hasRooms: row.rooms === true,
      mayImport: row.mayImport.map((entry) => entry.replace(/\/$/, '')),
    })),
  );
});

it('a path belongs to the longest folder, and to a sub-folder where each sub-folder has its own row', () => {
  expect(homeOf('src/hosts/state/candidates.ts')).toBe('src/hosts/state');
  expect(homeOf('src/hosts/host/plan.ts')).toBe('src/hosts/host');
  expect(homeOf('src/dispatch/store/port.ts')).toBe('src/dispatch');
  expect(homeOf('docs/roadmap.md')).toBeUndefined();
});

it('an entry with an exclamation mark excludes a folder', () => {
  expect(mayImport(['src/', '!src/bin/'], 'src/cli/program.ts')).toBe(true);
  expect(mayImport(['src/', '!src/bin/'], 'src/bin/muster.ts')).toBe(false);
});
