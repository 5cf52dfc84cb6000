/**
 * The first pages stay short enough to be read, and keep the sections a newcomer looks for. The index of
 * decisions lists every decision, and each has the four sections of the template.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length;

const headings = (text: string): readonly string[] =>
  [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? '');

/** The lines of a section that are not blank; undefined if there is no such section. */
function linesUnder(text: string, heading: string): readonly string[] | undefined {
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`));
  return section
    ?.split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '');
}

describe('the first pages', () => {
  test.each([
    ['README.md', 80],
    ['ARCHITECTURE.md', 200],
  ])('%s has at most %i lines', (page, linesMax) => {
    expect(lineCount(read(page))).toBeLessThanOrEqual(linesMax);
  });

  test('README.md states the problem in five lines', () => {
    expect(linesUnder(read('README.md'), 'The problem')).toHaveLength(5);
  });

  test('ARCHITECTURE.md opens with the problem', () => {
    expect(headings(read('ARCHITECTURE.md'))[0]).toBe('The problem');
  });
});

describe('decision records', () => {
  const records = readdirSync(join(root, 'docs/adr')).filter((file) => file !== 'README.md');

  test('are numbered without a gap and all listed in the index', () => {
    const listed = [...read('docs/adr/README.md').matchAll(/^\| \[(\d{4})\]\((\1-[a-z-]+\.md)\)/gm)];
    expect({ numbers: listed.map((row) => Number(row[1])), files: listed.map((row) => row[2]) }).toEqual({
      numbers: records.map((_, index) => index + 1),
      files: records.toSorted(),
    });
  });

  test.each(records)('%s has a status and the four sections', (file) => {
    const text = read(`docs/adr/${file}`);
    expect({ status: /^Status: \S/m.test(text), headings: headings(text) }).toEqual({
      status: true,
      headings: ['Context', 'Decision', 'Alternatives refused', 'Consequences'],
    });
  });
});

describe('the check of pages', () => {
  test('counts lines with or without a final newline', () => {
    expect([lineCount('a\nb\n'), lineCount('a\nb')]).toEqual([2, 2]);
  });

  test('tells an empty section from a missing one', () => {
    const text = '# Title\n\n## Full\n\none\n\ntwo\n\n## Empty\n';
    expect(['Full', 'Empty', 'Missing'].map((heading) => linesUnder(text, heading))).toEqual([
      ['one', 'two'],
      [],
      undefined,
    ]);
  });
});
