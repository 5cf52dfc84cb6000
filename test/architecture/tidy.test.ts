import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generatedFiles, generatedFolders } from '../../scripts/generate/files.ts';
import { formatFinding } from './finding.ts';
import { checkTree } from './tidy.ts';

const project = resolve(import.meta.dirname, '../..');

describe('this project', () => {
  it('follows its rules, and its generated files are up to date', () => {
    const generated = { files: generatedFiles(), folders: generatedFolders };
    expect(checkTree(project, { generated }).map(formatFinding)).toEqual([]);
  });
});

describe('checkTree', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'muster-tidy-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
  }

  const places = (): readonly string[] =>
    checkTree(root).map(({ file, line, rule }) => `${file}:${line} ${rule}`);

  it('finds nothing in a tree without code', async () => {
    await write({ 'README.md': 'Nothing here.\n' });
    expect(places()).toEqual([]);
  });

  it('leaves out dependencies, builds, hidden folders and its own fixtures', async () => {
    const bad = 'try { run(); } catch {}\n';
    await write({
      'dashboard/node_modules/some-package/index.js': bad,
      'dashboard/dist/index.js': bad,
      'test/.cache/kept.ts': bad,
      'test/architecture/fixtures/empty-catch/bad/run.ts': bad,
      'docs/example.ts': bad,
    });
    expect(places()).toEqual([]);
  });

  it('reads src, lab, test, scripts, bench, dashboard and the configuration files', async () => {
    const bad = 'try { run(); } catch {}\n';
    const paths = [
      'bench/a.mts',
      'bench/a.ts',
      'dashboard/a.jsx',
      'dashboard/a.tsx',
      'scripts/a.js',
      'scripts/a.mjs',
      'scripts/a.ts',
      'src/bin/a.ts',
      'test/a.test.ts',
      'vitest.config.ts',
    ];
    await write(Object.fromEntries(paths.map((path) => [path, `// Bad.\n${bad}`])));
    expect(places()).toEqual(paths.map((path) => `${path}:2 empty-catch`));
  });

  it('sorts by file, then line, then rule', async () => {
    await write({
      'src/bin/b.ts': '// B.\ntry { run(); } catch {}\n',
      'src/bin/a.ts': '\n\n\n\n\n\n\n\n\ntry { run(); } catch {}\ntry { run(); } catch {}\n',
      'src/bin/A.ts': 'try { run(); } catch {}\n',
    });
    expect(places()).toEqual([
      'src/bin/A.ts:1 empty-catch',
      'src/bin/A.ts:1 file-comment',
      'src/bin/A.ts:1 file-name',
      'src/bin/a.ts:1 file-comment',
      'src/bin/a.ts:10 empty-catch',
      'src/bin/a.ts:11 empty-catch',
      'src/bin/b.ts:2 empty-catch',
    ]);
  });

  it.each([
    ['accents', 'éüñ'],
    ['characters of two units', '😀𝒜'],
    ['combining marks', 'e\u0301'],
    ['Windows line ends', '\r\n\r\n'],
    ['a line separator that is no line end on disk', '\u2028'],
  ])('names the right line after %s', async (_what, text) => {
    const before = `// A comment ${text}\nexport const text = \`${text.repeat(50)}\`;\n`;
    await write({ 'src/bin/a.ts': `${before}try { run(); } catch {}\n` });
    expect(places()).toEqual([`src/bin/a.ts:${before.split('\n').length} empty-catch`]);
  });

  it('names the right line after a byte order mark', async () => {
    await write({ 'src/bin/a.ts': '\uFEFF// A comment\ntry { run(); } catch {}\n' });
    expect(places()).toEqual(['src/bin/a.ts:2 empty-catch']);
  });
});
