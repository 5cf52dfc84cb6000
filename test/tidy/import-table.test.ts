import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { importTable } from './import-table.ts';

const architecture = readFileSync(resolve(import.meta.dirname, '../../ARCHITECTURE.md'), 'utf8');

const namesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/`([a-z]+)`/g), ([, name = '']) => name);

/** Rows read `| folder | what lives there | may import of ours | … |`, with the names of folders as code. */
const rows = architecture
  .slice(architecture.indexOf('| folder in `src`'))
  .split('\n\n', 1)
  .flatMap((table) => table.split('\n').slice(2))
  .map((row) => row.split('|'))
  .map(([, folder = '', , mayImport = '']) => ({
    folder: namesIn(folder)[0] ?? '',
    mayImport: mayImport.trim(),
  }));

const places = new Map(rows.map(({ folder }) => [folder, folder === 'dashboard' ? folder : `src/${folder}`]));

function told({ folder, mayImport }: { folder: string; mayImport: string }): readonly string[] {
  const names = namesIn(mayImport);
  if (!mayImport.startsWith('everything')) return names.toSorted();
  const others = [...places].filter(([name, place]) => name !== folder && place !== name);
  return others.flatMap(([name]) => (names.includes(name) ? [] : name)).toSorted();
}

function checked({ folder }: { folder: string }): readonly string[] {
  const entries = importTable.get(places.get(folder) ?? '') ?? [];
  return [...new Set(entries.flatMap((entry) => entry.split('/')[1] ?? []))].toSorted();
}

it('has a row for each folder in ARCHITECTURE.md, and no other', () => {
  expect([...importTable.keys()].toSorted()).toEqual([...places.values()].toSorted());
});

it('lets each folder import what ARCHITECTURE.md says', () => {
  const table = rows.map((row) => ({ folder: row.folder, mayImport: checked(row) }));
  expect(table).toEqual(rows.map((row) => ({ folder: row.folder, mayImport: told(row) })));
});
