import { expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { applyDefaults } from './default.ts';
import { TooDeeplyNested } from './nesting.ts';
import type { JsonSchema } from './structural-schema.ts';

function object(properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', properties, ...more };
}

const one: JsonSchema = { type: 'integer', default: 1 };
const plain: JsonSchema = { type: 'integer' };

it.for<readonly [string, JsonSchema, Json, Json]>([
  ['a missing field', object({ a: one }), {}, { a: 1 }],
  ['a present field', object({ a: one }), { a: 5 }, { a: 5 }],
  ['a field that is zero, false or empty', object({ a: one }), { a: 0 }, { a: 0 }],
  ['a missing parent', object({ p: object({ a: one }) }), {}, {}],
  ['a parent that is there', object({ p: object({ a: one }) }), { p: {} }, { p: { a: 1 } }],
  ['a parent with a default', object({ p: object({ a: one }, { default: {} }) }), {}, { p: { a: 1 } }],
  [
    'a default completed by others',
    object({ p: object({ a: one, b: plain }, { default: { b: 2 } }) }),
    {},
    { p: { a: 1, b: 2 } },
  ],
  ['a default of null', object({ a: { type: 'integer', nullable: true, default: null } }), {}, {}],
  ['null where there is a default', object({ a: one }), { a: null }, { a: 1 }],
  ['null where null is allowed', object({ a: { ...one, nullable: true } }), { a: null }, { a: null }],
  ['null without a default', object({ a: plain }), { a: null }, {}],
  ['null without a schema', object({ a: plain }), { b: null }, { b: null }],
  [
    'null in a map',
    object({ m: { type: 'object', additionalProperties: plain } }),
    { m: { k: null } },
    { m: {} },
  ],
  [
    'null in a map with a default',
    object({ m: { type: 'object', additionalProperties: one } }),
    { m: { k: null } },
    { m: { k: 1 } },
  ],
  ['null in a list', object({ l: { type: 'array', items: plain } }), { l: [null] }, { l: [null] }],
  ['null in a list with a default', object({ l: { type: 'array', items: one } }), { l: [null] }, { l: [1] }],
  [
    'items',
    object({ l: { type: 'array', items: object({ a: one }) } }),
    { l: [{}, { a: 2 }] },
    { l: [{ a: 1 }, { a: 2 }] },
  ],
  [
    'values of a map',
    object({ m: { type: 'object', additionalProperties: object({ a: one }) } }),
    { m: { k: {} } },
    { m: { k: { a: 1 } } },
  ],
  ['a wrong type', object({ p: object({ a: one }) }), { p: 'x' }, { p: 'x' }],
  ['an inherited name', object({ constructor: one }), {}, Object.fromEntries([['constructor', 1]])],
])('%s', ([, schema, value, completed]) => {
  expect(applyDefaults(schema, value)).toEqual(completed);
});

it('treats the key __proto__ as an ordinary key', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: JSON.parse('{"__proto__":{"type":"integer","default":1}}'),
  };
  expect(JSON.stringify(applyDefaults(schema, {}))).toBe('{"__proto__":1}');
});

it('rejects a value that is nested too deeply', () => {
  let value: Json = 1;
  for (let depth = 0; depth < 50_000; depth += 1) value = { a: value };
  expect(() => applyDefaults(object({ a: one }), value)).toThrow(TooDeeplyNested);
});
