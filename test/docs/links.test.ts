/**
 * What a page points at exists: every relative link in every Markdown file of the project leads to a file
 * or folder inside the project, every #anchor to a heading, every `npm run` to a script of package.json.
 */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
/** Fixtures are broken on purpose. Folders that start with a dot are not searched: they hold no pages. */
const unread = new Set(['node_modules', 'fixtures']);

/** The part of the file system the check needs, so that it can be shown to fail on a few strings. */
interface Tree {
  readonly exists: (path: string) => boolean;
  /** The text of a Markdown file, or undefined for anything else. */
  readonly markdown: (path: string) => string | undefined;
}

const projectTree: Tree = {
  exists: (path) => existsSync(join(root, path)),
  markdown: (path) =>
    path.endsWith('.md') && statSync(join(root, path)).isFile() ? readProject(path) : undefined,
};

function readProject(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function projectPages(): readonly string[] {
  return globSync('**/*.md', {
    cwd: root,
    exclude: (path) => unread.has(path.split('/').at(-1) ?? path),
  }).toSorted();
}

/** Code may show a link without meaning it. */
function withoutFences(text: string): string {
  return text.replaceAll(/^( *)(`{3,}|~{3,})[^]*?^ *\2`*$/gm, '');
}

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/(`+)(?:(?!\n\n)[^])*?[^`]\1(?!`)/g, 'code');
}

function linkTargets(text: string): readonly string[] {
  const prose = withoutCode(text);
  const inline = prose.matchAll(/\]\(\s*<?([^\s<>)]+)>?(?:\s+["'][^)]*)?\s*\)/g);
  const referenced = prose.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s<>]+)/gm);
  const html = prose.matchAll(/<(?:a|img)\b[^>]*\b(?:href|src)="([^"]+)"/g);
  return [...inline, ...referenced, ...html].map((match) => match[1] ?? '');
}

/** Spelled as GitHub does: two spaces left by a removed sign become two hyphens. */
function slug(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function anchors(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const match of withoutFences(text).matchAll(/^ {0,3}#{1,6} +(.+?) *#*$/gm)) {
    const base = slug(match[1] ?? '');
    let name = base;
    for (let copy = 1; found.has(name); copy += 1) name = `${base}-${copy}`;
    found.add(name);
  }
  return found;
}

function problemWith(page: string, target: string, tree: Tree): string | undefined {
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return undefined;
  const [path = '', anchor = ''] = decodeURIComponent(target).split('#', 2);
  const file = fileMeant(page, path);
  if (/^\.\.(\/|$)/.test(file)) return `${page}: ${target} leaves the project`;
  if (!tree.exists(file)) return `${page}: ${target} does not exist`;
  return anchor === '' || hasAnchor(tree.markdown(file), anchor)
    ? undefined
    : `${page}: ${target} has no such heading`;
}

function fileMeant(page: string, path: string): string {
  if (path === '') return page;
  return normalize(join(path.startsWith('/') ? '.' : dirname(page), path));
}

/** In a file that is not Markdown an anchor means a line, which cannot be wrong in a way we can see. */
function hasAnchor(text: string | undefined, anchor: string): boolean {
  return text === undefined || anchors(text).has(anchor);
}

function brokenLinks(page: string, tree: Tree): readonly string[] {
  return linkTargets(tree.markdown(page) ?? '')
    .map((target) => problemWith(page, target, tree))
    .filter((problem) => problem !== undefined);
}

function missingScripts(page: string, text: string, scripts: ReadonlySet<string>): readonly string[] {
  return [...text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[a-z][\w:-]*)/g)]
    .map((match) => match[1] ?? '')
    .filter((script) => !scripts.has(script))
    .map((script) => `${page}: npm run ${script} is not in package.json`);
}

function sampleTree(files: Readonly<Record<string, string>>): Tree {
  const paths = Object.keys(files);
  return {
    exists: (path) =>
      paths.some((known) => known === path || known.startsWith(`${path.replace(/\/$/, '')}/`)),
    markdown: (path) => (path.endsWith('.md') ? files[path] : undefined),
  };
}

describe('pages of the project', () => {
  test('all of them are read, down to the deepest folder', () => {
    expect(projectPages()).toEqual(
      expect.arrayContaining(['README.md', 'docs/invariants.md', 'docs/adr/README.md']),
    );
  });

  test.each(projectPages())('%s points only at what exists', (page) => {
    expect(brokenLinks(page, projectTree)).toEqual([]);
  });

  test.each(projectPages())('%s names only npm scripts that exist', (page) => {
    const manifest: { scripts: Record<string, string> } = JSON.parse(readProject('package.json'));
    const scripts = new Set(Object.keys(manifest.scripts));
    expect(missingScripts(page, readProject(page), scripts)).toEqual([]);
  });
});

describe('the check of links', () => {
  const page = 'docs/page.md';
  const other = '# Title\n\n## S1 · one owner\n\n## Same\n\n## Same\n\n```\n## In code\n```\n';
  const problems = (text: string): readonly string[] =>
    brokenLinks(page, sampleTree({ [page]: text, 'docs/other.md': other, 'src/api/kinds/kind.ts': '' }));

  test.each([
    ['a file beside it', '[x](other.md)'],
    ['a folder', '[x](../src/api) and [y](../src/api/)'],
    ['a path from the root of the project', '[x](/src/api/kinds/kind.ts)'],
    ['a heading, and a repeated one', '[x](other.md#s1--one-owner) [y](other.md#same-1)'],
    ['a heading of its own', '# Here\n\n[x](#here)'],
    ['a heading that holds a link or code', '# The [api](other.md) and `npm`\n\n[x](#the-api-and-npm)'],
    ['a line of a source file', '[x](../src/api/kinds/kind.ts#L3)'],
    ['another site', '[x](https://example.com/none.md) [y](mailto:a@example.com)'],
    ['nothing, inside code', '`[x](none.md)`\n\n```md\n\n[x](none.md)\n\n```\n'],
  ])('accepts %s', (_what, text) => {
    expect(problems(text)).toEqual([]);
  });

  test.each([
    ['a missing file', '[x](none.md)', 'none.md does not exist'],
    ['a missing file with a title', '[x](none.md "Title")', 'none.md does not exist'],
    ['a missing image', '![x](none.png)', 'none.png does not exist'],
    ['a missing file in a definition', '[x]\n\n[x]: none.md\n', 'none.md does not exist'],
    ['a missing file in HTML', '<a href="none.md">x</a>', 'none.md does not exist'],
    ['a link after a code block', '```\ncode\n```\n\n[x](none.md)', 'none.md does not exist'],
    ['a link between stray backticks', 'a ` b\n\n[x](none.md)\n\na ` b', 'none.md does not exist'],
    ['a missing heading', '[x](other.md#none)', 'other.md#none has no such heading'],
    ['a heading that is code', '[x](other.md#in-code)', 'other.md#in-code has no such heading'],
    ['one repetition too many', '[x](other.md#same-2)', 'other.md#same-2 has no such heading'],
    ['a missing heading of its own', '# Here\n\n[x](#there)', '#there has no such heading'],
    ['a file outside the project', '[x](../../secret.md)', '../../secret.md leaves the project'],
  ])('refuses %s', (_what, text, problem) => {
    expect(problems(text)).toEqual([`${page}: ${problem}`]);
  });

  test('refuses an npm script that does not exist', () => {
    const text = '`npm test`, `npm run check` and `npm run absent -- --flag`';
    expect(missingScripts(page, text, new Set(['test', 'check']))).toEqual([
      `${page}: npm run absent is not in package.json`,
    ]);
  });
});
