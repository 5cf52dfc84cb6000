import { expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { TooDeeplyNested } from './nesting.ts';
import { prune } from './prune.ts';
import type { JsonSchema } from './structural-schema.ts';

function specSchema(spec: JsonSchema): JsonSchema {
  return { type: 'object', properties: { spec } };
}

const open = { 'x-kubernetes-preserve-unknown-fields': true };
const a: JsonSchema = { type: 'object', properties: { a: { type: 'integer' } } };

it.for<readonly [string, JsonSchema, Json, Json, readonly string[]]>([
  ['known fields stay', a, { a: 1 }, { a: 1 }, []],
  ['unknown fields go', a, { a: 1, b: { c: 1 } }, { a: 1 }, ['spec.b']],
  ['a wrong type stays for validation', a, { a: { b: 1 } }, { a: {} }, ['spec.a.b']],
  ['a text in place of an object stays', a, 'x', 'x', []],
  ['null stays', a, null, null, []],
  ['items are looked into', { type: 'array', items: a }, [{ a: 1 }, { b: 2 }], [{ a: 1 }, {}], ['spec[1].b']],
  [
    'lists in lists too',
    { type: 'array', items: { type: 'array', items: a } },
    [[{ b: 1 }]],
    [[{}]],
    ['spec[0][0].b'],
  ],
  [
    'values of maps are looked into',
    { type: 'object', additionalProperties: a },
    { k: { b: 1 } },
    { k: {} },
    ['spec.k.b'],
  ],
  [
    'a map of anything keeps keys only',
    { type: 'object', additionalProperties: true },
    { k: { b: 1 }, l: 5 },
    { k: {}, l: 5 },
    ['spec.k.b'],
  ],
  ['what preserves keeps', { type: 'object', ...open }, { b: { c: [{}] } }, { b: { c: [{}] } }, []],
  [
    'but prunes inside what it knows',
    { ...open, type: 'object', properties: { x: a } },
    { x: { b: 1 }, y: { b: 1 } },
    { x: {}, y: { b: 1 } },
    ['spec.x.b'],
  ],
  ['items of a list that preserves', { type: 'array', ...open, items: a }, [{ b: 1 }], [{ b: 1 }], []],
  [
    'what those items know is pruned',
    { type: 'array', ...open, items: { type: 'object', properties: { x: a } } },
    [{ x: { b: 1 }, y: 1 }],
    [{ x: {}, y: 1 }],
    ['spec[0].x.b'],
  ],
  [
    'an embedded resource keeps its meta fields',
    { ...a, 'x-kubernetes-embedded-resource': true },
    { apiVersion: 'v1', kind: 'A', metadata: { any: 1 }, b: 1 },
    { apiVersion: 'v1', kind: 'A', metadata: { any: 1 } },
    ['spec.b'],
  ],
  ['other objects do not', a, { kind: 'A', a: 1 }, { a: 1 }, ['spec.kind']],
  [
    'inherited names are unknown',
    a,
    { constructor: 1, toString: 1 },
    {},
    ['spec.constructor', 'spec.toString'],
  ],
  ['paths are sorted', a, { z: 1, b: 1 }, {}, ['spec.b', 'spec.z']],
])('%s', ([, spec, value, kept, unknown]) => {
  expect(prune(specSchema(spec), { spec: value })).toEqual({ value: { spec: kept }, unknown });
});

it('the root keeps apiVersion, kind and metadata', () => {
  const object = { apiVersion: 'v1', kind: 'A', metadata: { any: { thing: 1 } }, spec: {}, status: {} };
  const { status: _status, ...kept } = object;
  expect(prune(specSchema(a), object)).toEqual({ value: kept, unknown: ['status'] });
});

it('treats the key __proto__ as an ordinary key', () => {
  const value: Json = JSON.parse('{"spec":{"__proto__":{"a":1},"k":{"__proto__":1}}}');
  const kept = prune(specSchema({ type: 'object', additionalProperties: a }), value);
  expect(JSON.stringify(kept.value)).toBe('{"spec":{"__proto__":{"a":1},"k":{}}}');
  expect(kept.unknown).toEqual(['spec.k.__proto__']);
  expect({}).not.toHaveProperty('a');
});

it('rejects a value that is nested too deeply', () => {
  let value: Json = 1;
  for (let depth = 0; depth < 50_000; depth += 1) value = [value];
  expect(() => prune(specSchema(a), value)).toThrow(TooDeeplyNested);
});
