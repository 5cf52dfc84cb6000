import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageText } from './ages.ts';
import { nearText } from './find-object.ts';
import { tableText, wrapped } from './table.ts';

const minute = 60_000;
const hour = 60 * minute;

it.for([
  [-5, '0s'],
  [0, '0s'],
  [59_999, '59s'],
  [minute, '1m'],
  [hour - 1, '59m'],
  [hour, '1h'],
  [5 * hour + 12 * minute, '5h12m'],
  [24 * hour, '1d'],
  [76 * hour, '3d4h'],
  [100 * 24 * hour + hour, '100d'],
] as const)('%i milliseconds are %s', ([ms, text]) => {
  expect(ageText(ms)).toBe(text);
});

describe('a table', () => {
  const columns = [
    { title: 'ID', cell: (row: readonly string[]) => row[0] ?? '' },
    { title: 'NAME', cell: (row: readonly string[]) => row[1] ?? '', least: 8 },
    { title: 'WHY', cell: (row: readonly string[]) => row[2] ?? '', least: 8 },
    { title: 'N', cell: (row: readonly string[]) => row[3] ?? '', isNumber: true as const },
  ];
  const word = (maxLength: number) => fc.string({ maxLength, unit: 'grapheme-ascii' });

  it('is never wider than 100 columns, whatever the cut cells contain', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word(8), word(200), word(200), word(5))), (rows) => {
        const widths = tableText(columns, rows)
          .split('\n')
          .map((line) => line.length);
        expect(Math.max(...widths)).toBeLessThanOrEqual(100);
      }),
    );
  });

  it.for([
    ['moves the cursor', '\u001B[2J'],
    ['changes the text direction', '\u202E'],
    ['isolates a direction', '\u2066'],
    ['is not seen', '\u200B'],
    ['ends a line', '\u2028'],
    ['ends a paragraph', '\u2029'],
  ] as const)('shows a dot for what %s', ([, letter]) => {
    const [, line] = tableText(columns, [['1', `a${letter}b`, '', '']]).split('\n');
    expect(line).toContain(`a·${letter.slice(1)}b`);
  });

  it('marks a cut cell and keeps its end, never cuts an id, and aligns numbers to the right', () => {
    const rows = [
      ['12345678', `${'a'.repeat(84)}-7xk2p`, 'b'.repeat(20), '7'],
      ['1', 'short', '', '12'],
    ];
    expect(tableText(columns, rows).split('\n')).toEqual([
      `ID       NAME${' '.repeat(63)} ${'WHY'.padEnd(20)}  N`,
      `12345678 ${'a'.repeat(60)}…-7xk2p ${'b'.repeat(20)}  7`,
      `1        ${'short'.padEnd(67)} ${' '.repeat(20)} 12`,
      '',
    ]);
  });
});

it('a long text is broken between words and stays within 100 columns', () => {
  const lines = wrapped('seven ll '.repeat(40).trim(), 10).split('\n');
  expect(Math.max(...lines.slice(1).map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(lines.slice(1).every((line) => /^ {10}\S/.test(line))).toBe(true);
  expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toBe('seven ll '.repeat(40).trim());
});

it('suggests names that differ by a few letters or contain the typed text', () => {
  const names = ['runners-1', 'runners-2', 'builders-1', ''];
  expect(nearText('runers-1', names)).toBe('; did you mean runners-1 or runners-2?');
  expect(nearText('builders', names)).toBe('; did you mean builders-1?');
  expect(nearText('zzzz', names)).toBe('');
});
