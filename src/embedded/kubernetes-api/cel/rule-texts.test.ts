import { expect, it } from 'vitest';
import { splitRule } from './rule-texts.ts';

it.each([
  ['self.a == "b"', ['+self.a == ', '-"b"']],
  [`self.matches("a\\"b") && x`, ['+self.matches(', '-"a\\"b"', '+) && x']],
  [`r"\\" + 'x'`, ['-r"\\"', '+ + ', "-'x'"]],
  [`"""a"b""" + '''c'd'''`, ['-"""a"b"""', '+ + ', "-'''c'd'''"]],
  ['a // "b\nc', ['+a ', '-// "b', '+\nc']],
  ['a + "open', ['+a + ', '-"open']],
])('splits %s', (rule, parts) => {
  expect(splitRule(rule).map(({ isCode, text }) => `${isCode ? '+' : '-'}${text}`)).toEqual(parts);
});

it('keeps every character, and reads a rule of many quotes in one pass', () => {
  const rule = '"\\'.repeat(500_000);
  const parts = splitRule(rule);
  expect(parts.map(({ text }) => text).join('')).toBe(rule);
  expect(parts.length).toBeLessThan(3);
});
