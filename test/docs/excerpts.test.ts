/** What a page quotes from a file of the tree is still there, line by line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const page = readFileSync(join(docs, 'writing-a-controller.md'), 'utf8');

interface Excerpt {
  readonly file: string;
  readonly lines: readonly string[];
}

const excerpts: readonly Excerpt[] = [...page.matchAll(/\]\(([^)]+)\):\n\n```ts\n(.+?)```/gs)].map(
  (match) => ({
    file: match[1] ?? '',
    lines: linesOf(match[2] ?? ''),
  }),
);

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

test('every block of code names the file it is from', () => {
  expect(excerpts).toHaveLength([...page.matchAll(/^```ts$/gm)].length);
});

test.each(excerpts)('what is quoted from $file is in it', ({ file, lines }) => {
  expect(linesOf(readFileSync(join(docs, file), 'utf8'))).toEqual(expect.arrayContaining([...lines]));
});
