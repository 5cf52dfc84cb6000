import { expect, it } from 'vitest';
import { Warnings } from './warnings.ts';

function reported(...texts: readonly string[]): readonly string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.texts;
}

it('tells each warning once, in order', () => {
  expect(reported('b', 'a', 'b')).toEqual(['b', 'a']);
});

it('keeps a single long warning whole while there is room', () => {
  expect(reported('x'.repeat(4096))).toEqual(['x'.repeat(4096)]);
});

it('cuts each warning once all of them are too long', () => {
  expect(reported('a'.repeat(4000), 'b'.repeat(4000)).map((text) => text.length)).toEqual([256, 256]);
});

it('stops after as much as clients take', () => {
  const many = reported(
    ...Array.from({ length: 100_000 }, (_, index) => `unknown field "spec.field${index}"`),
  );
  expect(many.join('').length).toBeLessThan(4096 + 256);
});

it('leaves out what no header can carry', () => {
  expect(reported('a\nb', 'c\u0000')).toEqual([]);
});
