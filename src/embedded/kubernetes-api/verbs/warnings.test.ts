import { expect, it } from 'vitest';
import { Warnings } from './warnings.ts';

function reported(...texts: readonly string[]): readonly string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.texts;
}

it('sends each warning once, in order', () => {
  expect(reported('b', 'a', 'b')).toEqual(['b', 'a']);
});

it('keeps a single long warning complete within the limit', () => {
  expect(reported('x'.repeat(4096))).toEqual(['x'.repeat(4096)]);
});

it('cuts each warning once all of them are too long', () => {
  expect(reported('a'.repeat(4000), 'b'.repeat(4000)).map((text) => text.length)).toEqual([256, 256]);
});

it('stops at the limit of clients', () => {
  const many = reported(
    ...Array.from({ length: 100_000 }, (_, index) => `unknown field "spec.field${index}"`),
  );
  expect(many.join('').length).toBeLessThan(4096 + 256);
});

it('omits texts that are invalid in a header', () => {
  expect(reported('a\nb', 'c\u0000')).toEqual([]);
});
