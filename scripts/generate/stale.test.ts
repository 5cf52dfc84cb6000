import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { refresh, staleFiles } from './stale.ts';

const generated = {
  files: new Map([
    ['made/a.txt', 'a'],
    ['made/deep/b.txt', 'b'],
    ['c.txt', 'c'],
  ]),
  folders: ['made', 'nowhere'],
};

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stale-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

describe('generated files', () => {
  it('are all missing in an empty folder, and written with their folders', () => {
    const missing = [...generated.files.keys()].toSorted().map((path) => ({ path, how: 'missing' }));
    expect(staleFiles(root, generated)).toEqual(missing);
    expect(refresh(root, generated)).toEqual(missing);
    expect([...generated.files.keys()].map((path) => readFileSync(join(root, path), 'utf8'))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('are unchanged when they are up to date', () => {
    refresh(root, generated);
    expect(refresh(root, generated)).toEqual([]);
  });

  it('are stale when edited, and so is a file that is no longer generated', () => {
    refresh(root, generated);
    writeFileSync(join(root, 'made/a.txt'), 'edited');
    mkdirSync(join(root, 'made/old'));
    writeFileSync(join(root, 'made/old/left.txt'), '');
    writeFileSync(join(root, 'elsewhere.txt'), 'not ours');
    const stale = [
      { path: 'made/a.txt', how: 'changed' },
      { path: 'made/old/left.txt', how: 'left over' },
    ];
    expect(staleFiles(root, generated)).toEqual(stale);
    expect(refresh(root, generated)).toEqual(stale);
    expect(staleFiles(root, generated)).toEqual([]);
    expect(readFileSync(join(root, 'elsewhere.txt'), 'utf8')).toBe('not ours');
  });

  it('do not count as missing when they are unreadable', () => {
    mkdirSync(join(root, 'c.txt'));
    expect(() => staleFiles(root, generated)).toThrow('EISDIR');
  });
});
