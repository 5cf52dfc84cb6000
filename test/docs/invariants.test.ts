/**
 * docs/invariants.md is complete: S1 to S21 and L1 to L10, each once and in order, each with its five lines
 * filled in. Tests and gauges cite these numbers, so a gap or a repetition would point them at nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const labels = ['Statement', 'How it can break', 'Who heals it', 'Metric', 'Test'] as const;

const numbered = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

const wanted = [...numbered('S', 21), ...numbered('L', 10)];

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly body: string;
}

function entries(text: string): readonly Entry[] {
  return text
    .split(/^(?=#{2,3} )/m)
    .filter((section) => section.startsWith('### '))
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const [id = '', name = ''] = heading.slice('### '.length).split(' · ');
      return { id, name: name.trim(), body: lines.join('\n') };
    });
}

function problemsOf(entry: Entry): readonly string[] {
  const lines = [...entry.body.matchAll(/^- \*\*(.+?)\*\*:([^]*?)(?=^- \*\*|(?![^]))/gm)];
  const found = lines.map((line) => line[1] ?? '');
  const empty = lines.filter((line) => (line[2] ?? '').trim() === '').map((line) => line[1] ?? '');
  return [
    ...(entry.name === '' ? [`${entry.id} has no name`] : []),
    ...labels.filter((label) => !found.includes(label)).map((label) => `${entry.id} lacks ${label}`),
    ...empty.map((label) => `${entry.id} has an empty ${label}`),
    ...(found.length > labels.length ? [`${entry.id} has ${found.length} lines`] : []),
  ];
}

const problems = (text: string): readonly string[] => entries(text).flatMap(problemsOf);

const sample = [
  '## Safety',
  '### S1 · one owner',
  ...labels.map((label) => `- **${label}**: something\n  on two lines`),
  '## Liveness',
].join('\n');

describe('docs/invariants.md', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'invariants.md'), 'utf8');

  test('has S1 to S21 and L1 to L10, each once and in order', () => {
    expect(entries(text).map((entry) => entry.id)).toEqual(wanted);
  });

  test('has a name and five filled lines for each', () => {
    expect(problems(text)).toEqual([]);
  });
});

describe('the check of invariants', () => {
  test('accepts a complete entry', () => {
    expect({ ids: entries(sample).map((entry) => entry.id), problems: problems(sample) }).toEqual({
      ids: ['S1'],
      problems: [],
    });
  });

  test('sees an entry that appears twice', () => {
    expect(entries(`${sample}\n${sample}`).map((entry) => entry.id)).toEqual(['S1', 'S1']);
  });

  test.each(labels)('refuses an entry without %s', (label) => {
    const text = sample.replace(`- **${label}**: something\n  on two lines`, '');
    expect(problems(text)).toEqual([`S1 lacks ${label}`]);
  });

  test.each(labels)('refuses an empty %s', (label) => {
    const text = sample.replace(`- **${label}**: something\n  on two lines`, `- **${label}**: `);
    expect(problems(text)).toEqual([`S1 has an empty ${label}`]);
  });

  test('refuses an entry without a name', () => {
    expect(problems(sample.replace(' · one owner', ''))).toEqual(['S1 has no name']);
  });

  test('refuses a line too many', () => {
    const text = sample.replace('## Liveness', '- **Test**: another');
    expect(problems(text)).toEqual(['S1 has 6 lines']);
  });
});
