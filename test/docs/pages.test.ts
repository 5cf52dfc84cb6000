/** The index of decisions lists every decision, and each has the four sections of the template. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

const headings = (text: string): readonly string[] =>
  [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? '');

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
