/** The reach of a JSON patch, and its linear cost. */
import { expect, it } from 'vitest';
import { growth } from '../../../../lab/harness/growth.ts';
import type { Json, JsonObject } from '../json.ts';
import { StatusError } from '../status-error.ts';
import { jsonPatch } from './json-patch.ts';

const target: JsonObject = { list: ['a', 'b', 'c'], data: { text: 'x' } };

/** The new object, or the status code of the error. */
function patched(...patch: readonly Json[]): Json {
  try {
    return jsonPatch(target, patch);
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

const keys = [
  'length',
  'x',
  '',
  ' 1',
  '1.0',
  '1e0',
  '0x1',
  '4',
  '-5',
  '99999999999999999999',
  '__proto__',
  'map',
];

it.for(keys)('%j is no key of a list', (key) => {
  const path = `/list/${key}`;
  const answers = ['add', 'replace', 'remove', 'test', 'copy', 'move'].map((op) =>
    patched({ op, path, from: '/list/0', value: 20_000_000 }),
  );
  expect(answers).toEqual(answers.map(() => 422));
  expect(patched({ op: 'copy', from: path, path: '/list/0' })).toBe(422);
  expect(patched({ op: 'add', path: `${path}/x`, value: 1 })).toBe(422);
});

it.for([
  ['add', '-', 'abcx'],
  ['add', '3', 'abcx'],
  ['add', '0', 'xabc'],
  ['add', '-1', 'abcx'],
  ['add', '-4', 'xabc'],
  ['replace', '-1', 'abx'],
  ['replace', '2', 'abx'],
  ['remove', '-3', 'bc'],
  ['move', '-', 'bca'],
  ['copy', '1', 'aabc'],
] as const)('%s at %s of a list gives %s', ([op, key, wanted]) => {
  expect(patched({ op, path: `/list/${key}`, from: '/list/0', value: 'x' })).toMatchObject({
    list: wanted.split(''),
  });
});

it('does not reach inherited properties, and treats their names as ordinary keys', () => {
  for (const path of [
    '/__proto__',
    '/data/__proto__',
    '/list/__proto__',
    '/__proto__/x',
    '/data/constructor/x',
  ])
    for (const op of ['add', 'replace', 'remove', 'test', 'copy'])
      expect(patched({ op, path, from: '/data', value: { a: 1 } })).toBe(422);
  expect(patched({ op: 'copy', from: '/data/toString', path: '/a' })).toMatchObject({ a: null });
  expect(patched({ op: 'add', path: '/data/constructor', value: 'v' })).toMatchObject({
    data: { text: 'x', constructor: 'v' },
  });
  expect(Reflect.get({}, 'a')).toBeUndefined();
});

it.for([
  { op: 'add', path: '', value: {} },
  { op: 'remove', path: '' },
  { op: 'move', from: '', path: '/a' },
  { op: 'copy', from: '', path: '/a' },
  { op: 'copy', path: '/a' },
  { op: 'move', from: '/nope', path: '/a' },
  { op: 'move', from: '/data', path: '/data/a' },
  { op: 'add', path: '/data/text/a', value: 1 },
  { op: 'add', path: '/nope/a', value: 1 },
  { op: 'add', path: 'data/a', value: 1 },
  { op: 'test', path: '/nope/a', value: null },
  { op: 'replace', path: '', value: [] },
  { op: 'bad', path: '/a' },
  { op: 'add' },
  {},
])('rejects %j without an internal error', (operation) => {
  expect(patched(operation)).toBe(422);
});

it('a patch cannot nest deeper than a body', () => {
  const double = (depth: number): Json => ({
    op: 'copy',
    from: '/data',
    path: `/data${'/data'.repeat(depth)}`,
  });
  const patch = Array.from({ length: 11 }, (_, index) => double(2 ** index));
  expect(patched(...patch)).toBe(422);
});

it('rejects many operations on a long list before they cost too much', () => {
  const list = Array.from({ length: 500_000 }, () => 0);
  const patch = Array.from({ length: 10_000 }, () => ({ op: 'add', path: '/list/0', value: 1 }));
  expect(() => jsonPatch({ list }, patch)).toThrow('too many items');
});

it.for([
  ['additions', (index: number) => ({ op: 'add', path: `/data/k${index}`, value: index })],
  ['tests', () => ({ op: 'test', path: '/data/text', value: 'x' })],
  ['copies', () => ({ op: 'copy', from: '/data/text', path: '/data/other' })],
] as const)('many %s have linear cost', ([, operation]) => {
  const ratio = growth([1200, 9600], (size) => {
    const patch = Array.from({ length: size }, (_, index) => operation(index));
    return () => jsonPatch(target, patch);
  });
  expect(ratio).toBeLessThan(32);
});
