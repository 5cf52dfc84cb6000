import { expect, it } from 'vitest';
import { durationText, Trace } from './trace.ts';

const line = (what: string) => ({ who: 'worker-a#1', what, outcome: '200' });
const traceOf = (...lines: readonly string[]): Trace => {
  const trace = new Trace({ startsAt: 1000, linesMax: 3 });
  for (const [index, what] of lines.entries()) trace.line(1000 + index, line(what));
  return trace;
};

it('keeps the last lines only, as text', () => {
  expect(traceOf('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h').timeline()).toEqual([
    '       0.005s  worker-a#1      f                                         200',
    '       0.006s  worker-a#1      g                                         200',
    '       0.007s  worker-a#1      h                                         200',
  ]);
});

it('has another hash when any line differs, dropped lines included', () => {
  const other = new Trace({ startsAt: 1000, linesMax: 3 });
  other.event(1000, 'a');
  const hashes = [
    traceOf('a', 'b'),
    traceOf('b', 'a'),
    traceOf('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    traceOf('x', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    traceOf('a'),
    other,
  ].map(({ hash }) => hash);
  expect(new Set(hashes).size).toBe(6);
  expect(traceOf('a', 'b').hash).toBe(hashes[0]);
  expect(hashes[0]).toMatch(/^[0-9a-f]{16}$/);
});

it.for([
  [0, '0.000s'],
  [59_999, '59.999s'],
  [60_000, '1m00.000s'],
  [3_600_000 * 30 + 61_001, '30h01m01.001s'],
] as const)('%i ms are %s', ([ms, text]) => {
  expect(durationText(ms)).toBe(text);
});
