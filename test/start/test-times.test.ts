import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepTimes, readTimes, slowestReport, timesFileIn } from '../../scripts/test-times.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-times-test-'));
  for (const name of ['a.test.ts', 'b.test.ts']) writeFileSync(join(root, name), '');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

it('keeps the times of files that did not run this time, and drops those of files that are gone', () => {
  keepTimes(root, { 'b.test.ts': 2, 'a.test.ts': 1 });
  keepTimes(root, { 'a.test.ts': 3, 'gone.test.ts': 9 });
  expect(readTimes(timesFileIn(root))).toEqual({ 'a.test.ts': 3, 'b.test.ts': 2 });
});

it('a file that is missing or damaged holds no times', () => {
  expect(readTimes(timesFileIn(root))).toEqual({});
  mkdirSync(join(root, '.muster'));
  for (const text of ['{ not JSON', '{"a.test.ts":"slow"}']) {
    writeFileSync(timesFileIn(root), text);
    expect(readTimes(timesFileIn(root))).toEqual({});
  }
});

it('stands in a folder that git ignores', () => {
  keepTimes(root, { 'a.test.ts': 1 });
  expect(existsSync(join(root, '.muster', 'test-times.json'))).toBe(true);
  expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('.muster/');
});

it('prints the fifteen slowest files, slowest first, with their seconds', () => {
  const times = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}.test.ts`, index]));
  const lines = slowestReport(times).split('\n');
  expect(lines).toHaveLength(16);
  expect(lines.slice(0, 2)).toEqual(['The slowest test files:', '   19.0 s  f19.test.ts']);
  expect(slowestReport({})).toBe('');
});
