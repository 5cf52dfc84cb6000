import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isUpToDate } from '../../scripts/install.mjs';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-install-test-'));
  mkdirSync(join(root, 'node_modules'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Package {
  readonly version: string;
  readonly optional?: true;
}
function lock(
  file: 'package-lock.json' | 'node_modules/.package-lock.json',
  packages: Record<string, Package>,
): void {
  writeFileSync(join(root, file), JSON.stringify({ packages }));
}

const wanted: Record<string, Package> = {
  '': { version: '0.1.0' },
  'node_modules/zod': { version: '4.6.7' },
  'node_modules/other-platform': { version: '1.0.0', optional: true },
};

it('a fresh clone is not up to date', () => {
  lock('package-lock.json', wanted);
  expect(isUpToDate(root)).toBe(false);
});

it('what the lock names is up to date, without the packages of other platforms', () => {
  lock('package-lock.json', wanted);
  lock('node_modules/.package-lock.json', { 'node_modules/zod': { version: '4.6.7' } });
  expect(isUpToDate(root)).toBe(true);
});

it.for([
  ['another version', { 'node_modules/zod': { version: '4.6.6' } }],
  ['a missing package', {}],
] as const)('%s is not up to date', ([, installed]) => {
  lock('package-lock.json', wanted);
  lock('node_modules/.package-lock.json', installed);
  expect(isUpToDate(root)).toBe(false);
});

it('the tree these tests run in is up to date', () => {
  expect(isUpToDate(process.cwd())).toBe(true);
});
