import { expect, it } from 'vitest';
import { growth } from '../../../lab/harness/growth.ts';
import { parseBody } from './body.ts';
import { yamlLengthMax } from './yaml-text.ts';
import { StatusError } from './status-error.ts';

function refusal(text: string, contentType: string): number {
  try {
    parseBody(text, contentType);
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
  return 200;
}

it.for([
  ['{"a":1}', 'application/json', 200],
  ['{"a":1}', 'application/json; charset=utf-8', 200],
  ['a: 1', 'application/yaml', 200],
  ['a: 1', 'application/apply-patch+yaml', 200],
  ['', 'text/html', 200],
  ['{"a":', 'application/json', 400],
  ['a: [', 'application/yaml', 400],
  ['a: &x [*x]', 'application/yaml', 400],
  ['<html>', 'text/html', 415],
  ['k8s\0', 'application/vnd.kubernetes.protobuf', 415],
  [`${'['.repeat(1001)}${']'.repeat(1001)}`, 'application/json', 400],
] as const)('case %# has the expected status', ([text, contentType, code]) => {
  expect(refusal(text, contentType)).toBe(code);
});

it('rejects a YAML alias bomb', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((key, index) => `${key}: &${key} [${`*${'abcdefg'[index]},`.repeat(9)}]`),
  ].join('\n');
  expect(refusal(bomb, 'application/yaml')).toBe(400);
});

it('treats the key __proto__ as an ordinary key', () => {
  const { value } = parseBody('{"__proto__":{"polluted":true}}', 'application/json');
  expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}');
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

it.for(['"\\', '[]', '{"', '\\"[', '",'])('a body of many %s costs in proportion to its length', (piece) => {
  const ratio = growth([20_000, 160_000], (size) => {
    const text = piece.repeat(size / piece.length);
    return () => refusal(text, 'application/json');
  });
  expect(ratio).toBeLessThan(32);
});

it.for([
  [
    'keys',
    (size: number) => Array.from({ length: size / 6 }, (_, index) => `${index.toString(36)}:`).join('\n'),
  ],
  [
    'keys in braces',
    (size: number) => `{${Array.from({ length: size / 10 }, (_, index) => `k${index}: 1`).join(',')}}`,
  ],
  ['repeated keys', (size: number) => 'a: 1\n'.repeat(size / 5)],
  ['lists', (size: number) => '- a\n'.repeat(size / 4)],
] as const)('YAML of many %s costs in proportion to its length', ([, textOf]) => {
  const ratio = growth([yamlLengthMax / 8, yamlLengthMax], (size) => {
    const text = textOf(size * 0.9);
    return () => expect(refusal(text, 'application/yaml')).toBe(200);
  });
  expect(ratio).toBeLessThan(24);
});

it('limits YAML to a smaller size than JSON, and treats JSON with a YAML type as JSON', () => {
  const value = 'x'.repeat(yamlLengthMax);
  expect(refusal(`a: ${value}`, 'application/yaml')).toBe(413);
  expect(refusal(`{"a":"${value}"}`, 'application/apply-patch+yaml')).toBe(200);
});

it.for([
  '- '.repeat(60_000),
  `a:\n${'- '.repeat(60_000)}`,
  `a:\n${'? '.repeat(60_000)}`,
  `a:\n${'- '.repeat(1200)}x`,
])('rejects deeply nested YAML, case %#', (text) => {
  expect(refusal(text, 'application/yaml')).toBe(400);
});

it('uses the last of duplicate YAML keys, and reports the duplicate', () => {
  const text = 'a: 1\nb:\n- c: 2\n  c: 3\na: 4\n';
  const { value, duplicates } = parseBody(text, 'application/yaml');
  expect({ value, duplicates: duplicates.toSorted() }).toEqual({
    value: { a: 4, b: [{ c: 3 }] },
    duplicates: ['a', 'c'],
  });
  const many = parseBody('a: 1\n'.repeat(1000), 'application/yaml').duplicates;
  expect(many).toHaveLength(100);
});
