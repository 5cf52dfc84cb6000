import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isUpToDate, runUnderLock } from '../../scripts/install.mjs';

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
  readonly integrity?: string;
  readonly optional?: true;
  readonly os?: readonly string[];
}
function lock(
  file: 'package-lock.json' | 'node_modules/.package-lock.json',
  packages: Record<string, Package>,
): void {
  writeFileSync(join(root, file), JSON.stringify({ packages }));
}

const wanted: Record<string, Package> = {
  '': { version: '0.1.0' },
  'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' },
  'node_modules/node-here': { version: '24.0.0', optional: true, os: [process.platform] },
  'node_modules/node-elsewhere': { version: '24.0.0', optional: true, os: ['plan9'] },
};
const complete: Record<string, Package> = {
  'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' },
  'node_modules/node-here': { version: '24.0.0', optional: true, os: [process.platform] },
};

function putFolders(...names: readonly string[]): void {
  for (const name of names) mkdirSync(join(root, 'node_modules', name), { recursive: true });
}

it('a fresh clone is not up to date', () => {
  lock('package-lock.json', wanted);
  expect(isUpToDate(root)).toBe(false);
});

it('what the lock names is up to date, without the packages of other platforms', () => {
  lock('package-lock.json', wanted);
  lock('node_modules/.package-lock.json', complete);
  putFolders('zod', 'node-here');
  expect(isUpToDate(root)).toBe(true);
});

it.for([
  ['another version', { ...complete, 'node_modules/zod': { version: '4.6.6', integrity: 'sha512-a' } }],
  ['another content', { ...complete, 'node_modules/zod': { version: '4.6.7', integrity: 'sha512-b' } }],
  ['a missing package', { 'node_modules/node-here': { version: '24.0.0' } }],
  [
    'a missing package for this platform, such as the pinned Node',
    { 'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' } },
  ],
] as const)('%s is not up to date', ([, installed]) => {
  lock('package-lock.json', wanted);
  lock('node_modules/.package-lock.json', installed);
  putFolders('zod', 'node-here');
  expect(isUpToDate(root)).toBe(false);
});

it('a package whose folder was removed by hand is not up to date', () => {
  lock('package-lock.json', wanted);
  lock('node_modules/.package-lock.json', complete);
  putFolders('node-here');
  expect(isUpToDate(root)).toBe(false);
});

it('a damaged note of what is installed means that nothing is', () => {
  lock('package-lock.json', wanted);
  writeFileSync(join(root, 'node_modules', '.package-lock.json'), '{');
  expect(isUpToDate(root)).toBe(false);
});

it('the tree these tests run in is up to date', () => {
  expect(isUpToDate(process.cwd())).toBe(true);
});

const say = (): void => undefined;
const failing = (): void => {
  throw new Error('npm ci failed');
};

describe('taking turns', () => {
  const lockFolder = (): string => join(root, '.install-lock');

  it('runs the work while the turn is held, and gives it back', () => {
    const held: boolean[] = [];
    expect(runUnderLock({ root, patienceMs: 0, say }, () => void held.push(existsSync(lockFolder())))).toBe(
      true,
    );
    expect([...held, existsSync(lockFolder())]).toEqual([true, false]);
  });

  it('gives the turn back when the work fails', () => {
    expect(() => runUnderLock({ root, patienceMs: 0, say }, failing)).toThrow('npm ci failed');
    expect(existsSync(lockFolder())).toBe(false);
  });

  it('gives up, having said so, when a living process keeps its turn', () => {
    const said: string[] = [];
    mkdirSync(lockFolder());
    writeFileSync(join(lockFolder(), 'pid'), String(process.pid));
    const done = runUnderLock({ root, patienceMs: 250, say: (text) => said.push(text) }, () =>
      said.push('worked'),
    );
    expect([done, said]).toEqual([false, ['Another command is installing dependencies; waiting for it']]);
  });

  it.for([
    ['is dead', '2147483646', 0],
    ['died before it could say who it was', undefined, 60_000],
  ] as const)('takes over the turn of one that %s', ([, pid, ageMs]) => {
    mkdirSync(lockFolder());
    if (pid !== undefined) writeFileSync(join(lockFolder(), 'pid'), pid);
    const then = new Date(Date.now() - ageMs);
    utimesSync(lockFolder(), then, then);
    expect(runUnderLock({ root, patienceMs: 1000, say }, () => undefined)).toBe(true);
  });
});
