import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chooseTests, relatedTests } from '../../scripts/related-tests.ts';
import { readTree } from '../architecture/tree.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-related-test-'));
  write('package.json', '{}');
  write('src/a.ts', 'export const a = 1;');
  write('src/a.test.ts', "import { a } from './a.ts'; a;");
  write('src/b.ts', "export { a } from './a.ts';");
  write('src/b.test.ts', "import { a } from './b.ts'; a;");
  write('src/b.integration.test.ts', "import { a } from './b.ts'; a;");
  write('src/started.test.ts', "new URL('./b.ts', import.meta.url);");
  write('src/other.test.ts', '');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it('finds unit tests that import a changed file, and those that do so through others', () => {
  expect(relatedTests(readTree(root), ['src/a.ts'])).toEqual([
    { path: 'src/a.test.ts', distance: 1 },
    { path: 'src/b.test.ts', distance: 2 },
    { path: 'src/started.test.ts', distance: 2 },
  ]);
});

it('finds a changed test itself, and nothing for a file that is gone or that none imports', () => {
  expect(relatedTests(readTree(root), ['src/other.test.ts', 'src/gone.test.ts', 'README.md'])).toEqual([
    { path: 'src/other.test.ts', distance: 0 },
  ]);
});

it('ends where files import each other', () => {
  write('src/a.ts', "export const a = 1; export * from './b.ts';");
  expect(relatedTests(readTree(root), ['src/b.ts']).map(({ path }) => path)).toContain('src/a.test.ts');
});

it('chooses the nearest and quickest that fit, and always a changed test', () => {
  const tests = [
    { path: 'far', distance: 2 },
    { path: 'slow', distance: 1 },
    { path: 'quick', distance: 1 },
    { path: 'changed', distance: 0 },
    { path: 'never measured', distance: 3 },
  ];
  const times = { changed: 100, quick: 1, slow: 50, far: 3 };
  expect(chooseTests(tests, { times, seconds: 106 })).toEqual({
    chosen: ['changed', 'quick', 'far', 'never measured'],
    leftOut: ['slow'],
  });
  expect(chooseTests(tests, { times, seconds: 0 }).chosen).toEqual(['changed']);
});
