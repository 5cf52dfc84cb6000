import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { patternFault, patternSyntaxFault } from './pattern.ts';
import { patternTexts } from '../../../../lab/contracts/kubernetes-api/schema/texts.ts';

it.for<readonly [string, readonly string[]]>([
  ['^[a-z]([-a-z0-9]*[a-z0-9])?$', ['a', 'a-b']],
  ['(?i)^(foo|ba[rz])+$', ['foo', 'FOObar', 'BAZ']],
  ['^\\d{2,3}\\.\\w+\\s?$', ['12.a', '123.a_b ']],
  ['^[[:alpha:]_]\\pL*\\z', ['_', 'aéà']],
  ['^(a+)+$', ['aaa']],
  ['\\bword\\b', ['a word here', 'word']],
  ['^[^\\s/]{1,4}/.$', ['ab/c', 'a/é']],
  ['\\Qa.b\\E$', ['a.b']],
  ['(?m)^line$', ['a\nline\nb', 'line']],
  ['^(?:é|\\x{1F600}|\\x41){2}', ['éé', 'A😀', 'Aé']],
])('%s matches the same texts as on the real server', ([pattern, matching]) => {
  expect(patternTexts[pattern]?.filter((text) => patternFault(pattern, text) === undefined)).toEqual(
    matching,
  );
});

it.for<readonly [string, string, boolean]>([
  ['', 'anything', true],
  ['b', 'abc', true],
  ['^b', 'abc', false],
  ['.', '\n', false],
  ['(?s).', '\n', true],
  ['.', '\r', true],
  ['^.$', '😀', true],
  ['^a$', 'a\n', false],
  ['\\s', '\u00A0', false],
  ['\\s', '\v', false],
  ['[[:space:]]', '\v', true],
  ['[^a]', '\n', true],
  ['^[]a]+$', ']a', true],
  ['^[a-]+$', 'a-', true],
  ['^[\\d-z]+$', '1-z', true],
  ['^(?i:a)b$', 'Ab', true],
  ['^(?i:a)b$', 'AB', false],
  ['^(?i)a(?-i)b$', 'AB', false],
  ['^((?i)a)b$', 'AB', false],
  ['^[^a]$', 'A', true],
  ['(?i)^[^a]$', 'A', false],
  ['^a{2,3}$', 'aaaa', false],
  ['^a{2,}$', 'aaaa', true],
  ['^a{0}$', '', true],
  ['^a{,2}$', 'a{,2}', true],
  ['^(a|ab)(c|bcd)$', 'abcd', true],
  ['^(a*)*$', 'aaa', true],
  ['^(|a)+$', 'aaa', true],
  ['a(?i)*$', 'aa', true],
  ['^\\Qa+\\E+$', 'a++', true],
  ['^\\x41\\x{42}\\103$', 'ABC', true],
  ['^\\PL\\p{^L}\\pL\\p{Greek}$', '11aα', true],
  ['\\Ba\\B', 'bab', true],
  ['\\Ba\\B', 'a', false],
  ['(?m)^a$', 'b\na\nb', true],
  ['^a$', 'b\na\nb', false],
])('%s against %j: %o', ([pattern, text, matches]) => {
  expect(patternFault(pattern, text) === undefined).toBe(matches);
});

it.for(['(?=a)', '(?!a)', '(?<=a)', '(?<!a)', '(a)\\1', '(?>a)', '(a', 'a)', '[a', '[b-a]', '[[:x:]]', '\\'])(
  '%s is no pattern',
  (pattern) => {
    expect(patternSyntaxFault(pattern)).toContain('error parsing regexp');
  },
);

it.for([
  'a**',
  'a{2}{3}',
  '*a',
  '|*',
  '{2}',
  '(*)',
  'a{1001}',
  'a{2,1}',
  '\\u0041',
  '\\y',
  '\\8',
  '\\p{X}',
  '\\x{110000}',
])('%s is an invalid pattern, too', (pattern) => {
  expect(patternSyntaxFault(pattern)).toContain('error parsing regexp');
});

it('rejects a pattern that is too large or too deep', () => {
  expect(patternSyntaxFault('(a{1000})'.repeat(21))).toContain('expression too large');
  expect(patternSyntaxFault('((a{10}){10}){11}')).toContain('invalid repeat count');
  expect(patternSyntaxFault('('.repeat(10_000))).toContain('nests too deeply');
});

it('agrees with JavaScript regular expressions on the common syntax', () => {
  const token = fc.constantFrom(
    'a',
    'b',
    '-',
    '^',
    '$',
    '|',
    '(',
    ')',
    '(?:',
    '[ab]',
    '[^a]',
    '\\d',
    '\\w',
    '\\b',
    '*',
    '+?',
    '?',
    '{2}',
  );
  const tokens = fc.array(token, { maxLength: 8 }).map((all) => all.join(''));
  const text = fc
    .array(fc.constantFrom('a', 'b', '-', '1', '_'), { maxLength: 6 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(tokens, text, (pattern, value) => {
      const isShared = !/[\^$b][*+?{]|\(\?(?!:)/.test(pattern);
      fc.pre(isShared && patternSyntaxFault(pattern) === undefined);
      expect(patternFault(pattern, value) === undefined).toBe(new RegExp(pattern, 'u').test(value));
    }),
    { numRuns: 2_000 },
  );
});

it('matches a pattern with catastrophic backtracking in linear time', () => {
  expect(patternFault('^(a+)+$', `${'a'.repeat(100_000)}b`)).toContain('should match');
});

it('rejects a text that is too long for its pattern', () => {
  expect(patternFault('a{500}', 'a'.repeat(100_000))).toContain('too long to be matched');
});
