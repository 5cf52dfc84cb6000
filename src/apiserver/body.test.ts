import { expect, it } from 'vitest';
import { growth } from '../../test/growth.ts';
import { parseBody } from './body.ts';
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
] as const)('case %# is answered as it should be', ([text, contentType, code]) => {
  expect(refusal(text, contentType)).toBe(code);
});

it('a billion laughs are not laughed at', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((key, index) => `${key}: &${key} [${`*${'abcdefg'[index]},`.repeat(9)}]`),
  ].join('\n');
  expect(refusal(bomb, 'application/yaml')).toBe(400);
});

it('a key called __proto__ is a key like any other', () => {
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
