import { expect, it } from 'vitest';
import { growth } from '../../../lab/harness/growth.ts';
import { duplicateKeys, isNestedDeeper } from './json-text.ts';

it.for([
  ['{}', []],
  ['{"a":1,"b":{"a":1}}', []],
  ['{"a":1,"a":2}', ['a']],
  ['{"spec":{"x":[{"y":1},{"y":1,"y":2}]}}', ['spec.x[1].y']],
  ['{"a":"a","b":"{\\"a\\":1,\\"a\\":2}"}', []],
  ['{"a":1,"\\u0061":2}', ['a']],
  ['[{"a":1},{"a":1}]', []],
  ['{"a":{"b":1,"b":2},"a":3}', ['a.b', 'a']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['"a"', []],
] as const)('%s has %j', ([text, found]) => {
  expect(duplicateKeys(text)).toEqual(found);
});

it('bounds the duplicates that it keeps', () => {
  expect(duplicateKeys(`{${'"a":1,'.repeat(10_000)}"a":1}`)).toHaveLength(100);
  const long = 'k'.repeat(60_000);
  expect(duplicateKeys(`{"${long}":{${'"a":1,'.repeat(10_000)}"a":1}}`).length).toBeLessThan(3);
});

it.for([
  ['[[]]', 2, false],
  ['[[[', 2, true],
  ['{"a":"[[[["}', 1, false],
  ['"\\"[[[', 2, false],
  ['"[', 0, false],
] as const)('%s is nested deeper than %i: %s', ([text, max, deeper]) => {
  expect(isNestedDeeper(text, max)).toBe(deeper);
});

const sizes = [20_000, 160_000] as const;

it.for([
  ['quotes that never close', (size: number) => '"\\'.repeat(size / 2)],
  ['open brackets', (size: number) => '[]'.repeat(size / 2)],
  ['backslashes', (size: number) => `"${'\\'.repeat(size)}`],
] as const)('checks the depth of %s in linear time', ([, textOf]) => {
  const ratio = growth(sizes, (size) => {
    const text = textOf(size);
    return () => isNestedDeeper(text, 1000);
  });
  expect(ratio).toBeLessThan(32);
});

it.for([
  [
    'keys',
    (size: number) => `{${Array.from({ length: size / 8 }, (_, index) => `"k${index}":1`).join(',')}}`,
  ],
  ['repeated keys', (size: number) => `{${'"a":1,'.repeat(size / 8)}"a":1}`],
  ['objects in a list', (size: number) => `[${'{"a":{"b":1}},'.repeat(size / 8)}1]`],
] as const)('finds duplicates among many %s in linear time', ([, textOf]) => {
  const ratio = growth(sizes, (size) => {
    const text = textOf(size);
    return () => duplicateKeys(text);
  });
  expect(ratio).toBeLessThan(32);
});
