import { expect, it } from 'vitest';
import type { Json } from '../json.ts';
import type { JsonSchema } from './structural-schema.ts';
import { validate } from './validate.ts';

function specSchema(spec: JsonSchema): JsonSchema {
  return { type: 'object', properties: { spec } };
}

/** Field and reason of each cause, in order. */
function causesOf(spec: JsonSchema, value: Json, old?: Json): readonly string[] {
  const found = validate(specSchema(spec), { spec: value }, old === undefined ? undefined : { spec: old });
  return found.map(({ field, reason }) => `${field} ${reason.replace('FieldValue', '')}`);
}

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };
const number: JsonSchema = { type: 'number' };

function object(properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', properties, ...more };
}

it.for<readonly [string, JsonSchema, Json, readonly string[]]>([
  ['a text for an integer', integer, 'x', ['spec TypeInvalid']],
  ['a whole number for a number', number, 2, []],
  ['a fraction for an integer, twice', integer, 1.5, ['spec TypeInvalid', '<nil> Invalid']],
  ['a number too large for an integer, twice', integer, 1e20, ['spec TypeInvalid', '<nil> Invalid']],
  ['null', text, null, ['spec TypeInvalid']],
  ['null where it is allowed', { ...text, nullable: true }, null, []],
  ['null without a type', { 'x-kubernetes-preserve-unknown-fields': true }, null, []],
  ['either of int-or-string', { 'x-kubernetes-int-or-string': true }, 5, []],
  ['neither of int-or-string', { 'x-kubernetes-int-or-string': true }, true, ['spec TypeInvalid']],
  ['almost an integer in int-or-string', { 'x-kubernetes-int-or-string': true }, 1.0000000001, []],
  ['a fraction in int-or-string', { 'x-kubernetes-int-or-string': true }, -1.5, ['spec TypeInvalid']],
  ['a list where a format is wanted', { ...text, format: 'date' }, ['x'], []],
  ['an object where a format is wanted', { ...text, format: 'date' }, {}, ['spec TypeInvalid']],
  ['a number where a format is wanted', { ...text, format: 'date' }, 5, ['spec TypeInvalid']],
  ['a text for a number with a format', { ...integer, format: 'int32' }, 'x', ['spec TypeInvalid']],
  ['a bad date', { ...text, format: 'date' }, '2023-02-29', ['spec TypeInvalid']],
])('type: %s', ([, schema, value, causes]) => {
  expect(causesOf(schema, value)).toEqual(causes);
});

it.for<readonly [string, JsonSchema, Json, readonly string[]]>([
  ['below', { ...integer, minimum: 2 }, 1, ['spec Invalid']],
  ['at the least', { ...integer, minimum: 2 }, 2, []],
  ['at an exclusive least', { ...integer, minimum: 2, exclusiveMinimum: true }, 2, ['spec Invalid']],
  ['above', { ...integer, maximum: 2 }, 3, ['spec Invalid']],
  ['at an exclusive most', { ...integer, maximum: 2, exclusiveMaximum: true }, 2, ['spec Invalid']],
  ['a whole number is held against the whole part of a limit', { ...number, minimum: 0.5 }, 0, []],
  ['a fraction is held against the limit', { ...number, minimum: 0.5 }, 0.4, ['spec Invalid']],
  ['a fractional limit of an integer is itself a fault', { ...integer, minimum: 1.5 }, 7, ['<nil> Invalid']],
  ['no multiple', { ...integer, multipleOf: 3 }, 7, ['spec Invalid']],
  ['a multiple but for rounding', { ...number, multipleOf: 0.1 }, 0.3, []],
  ['a whole number is no multiple of a fraction', { ...number, multipleOf: 0.5 }, 3, ['spec Invalid']],
  ['too large for 32 bits', { ...integer, format: 'int32' }, 2 ** 31, ['<nil> Invalid']],
  ['the least of 32 bits', { ...integer, format: 'int32' }, -(2 ** 31), []],
  ['below 32 bits', { ...integer, format: 'int32' }, -(2 ** 31) - 1, ['<nil> Invalid']],
  ['too large for a float', { ...number, format: 'float' }, 1e39, ['<nil> Invalid']],
  ['double', { ...number, format: 'double' }, 1e300, []],
  ['one of', { ...text, enum: ['a'] }, 'a', []],
  ['none of', { ...text, enum: ['a'] }, 'b', ['spec NotSupported']],
  [
    'null is none of, even where it is listed',
    { ...text, nullable: true, enum: [null] },
    null,
    ['spec NotSupported'],
  ],
  ['a fraction of a listed whole number', { ...number, enum: [2] }, 2.5, []],
  ['a listed object', { type: 'object', enum: [{ a: [1] }] }, { a: [1] }, []],
])('numbers and enums: %s', ([, schema, value, causes]) => {
  expect(causesOf(schema, value)).toEqual(causes);
});

it.for<readonly [string, JsonSchema, Json, readonly string[]]>([
  ['too long', { ...text, maxLength: 2 }, 'abc', ['spec TooLong']],
  ['characters are counted, not code units', { ...text, maxLength: 2 }, '😀😀', []],
  ['too short', { ...text, minLength: 3 }, '😀😀', ['spec Invalid']],
  ['too long hides the pattern', { ...text, maxLength: 2, pattern: '^x' }, 'abc', ['spec TooLong']],
  ['no match', { ...text, pattern: '^x' }, 'abc', ['spec Invalid']],
  ['too few items', { type: 'array', items: text, minItems: 1 }, [], ['spec Invalid']],
  ['too many items', { type: 'array', items: text, maxItems: 1 }, ['a', 'b'], ['spec TooMany']],
  ['a bad item', { type: 'array', items: text }, ['a', 1], ['spec[1] TypeInvalid']],
  [
    'items that are not unique',
    { type: 'array', items: text, uniqueItems: true },
    ['a', 'a'],
    ['spec Invalid'],
  ],
  ['items that are', { type: 'array', items: {}, uniqueItems: true }, ['1', 1, { a: 1 }, [1]], []],
  [
    'a required field',
    object({ a: text }, { required: ['a', 'constructor'] }),
    {},
    ['spec.a Required', 'spec.constructor Required'],
  ],
  ['too few fields', { type: 'object', minProperties: 1 }, {}, ['spec Invalid']],
  ['too many fields', { type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, ['spec TooMany']],
  [
    'a bad value in a map',
    { type: 'object', additionalProperties: text },
    { 'a.b': 1 },
    ['spec.a.b TypeInvalid'],
  ],
  ['a field in a closed object', { type: 'object', additionalProperties: false }, { a: 1 }, ['spec Invalid']],
  ['a field nobody knows', object({ a: text }), { b: 1 }, []],
])('texts, lists and objects: %s', ([, schema, value, causes]) => {
  expect(causesOf(schema, value)).toEqual(causes);
});

const set: JsonSchema = { type: 'array', items: {}, 'x-kubernetes-list-type': 'set' };
const map: JsonSchema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['a'],
  items: object({ a: integer, b: { ...integer, minimum: 5 } }),
};

it.for<readonly [string, JsonSchema, Json, readonly string[]]>([
  ['unique items', set, [1, '1', true, null, [1], { a: 1 }], []],
  [
    'each repeated item once, at its second place',
    set,
    [1, 1, 1, 2, 2],
    ['spec[1] Duplicate', 'spec[4] Duplicate'],
  ],
  [
    'objects with fields in another order',
    set,
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    ['spec[1] Duplicate'],
  ],
  ['a set in a map', { type: 'object', additionalProperties: set }, { k: [1, 1] }, ['spec[k][1] Duplicate']],
  ['the same key twice', map, [{ a: 1 }, { a: 2 }, { a: 1 }], ['spec[2] Duplicate']],
  ['no key twice', map, [{}, {}], ['spec[1] Duplicate']],
  ['an item that is no object', map, [{ a: 1 }, 5, { a: 1 }], ['spec[1] TypeInvalid', 'spec[1] Invalid']],
  [
    'an embedded resource without its names',
    { ...object({ x: text }), 'x-kubernetes-embedded-resource': true },
    {},
    ['spec.apiVersion Required', 'spec.kind Required'],
  ],
  [
    'an embedded resource with bad names',
    { type: 'object', 'x-kubernetes-embedded-resource': true },
    { apiVersion: 'a/b/c', kind: '9' },
    ['spec.apiVersion Invalid', 'spec.kind Invalid'],
  ],
  [
    'an embedded resource with empty names',
    { type: 'object', 'x-kubernetes-embedded-resource': true },
    { apiVersion: '', kind: 5 },
    ['spec.apiVersion Invalid', 'spec.kind Invalid'],
  ],
  [
    'embedded resources in a map',
    { type: 'object', additionalProperties: { type: 'object', 'x-kubernetes-embedded-resource': true } },
    { k: { apiVersion: 'v1', kind: '' } },
    ['spec[k].kind Invalid'],
  ],
])('list types and embedded resources: %s', ([, schema, value, causes]) => {
  expect(causesOf(schema, value)).toEqual(causes);
});

const either = object(
  { a: integer, b: integer },
  { anyOf: [{ required: ['a'], properties: { a: { minimum: 5 } } }, { required: ['b'] }] },
);

it.for<readonly [string, JsonSchema, Json, readonly string[]]>([
  ['the branch that came closest is reported', either, { a: 1 }, ['<nil> Invalid', 'spec.a Invalid']],
  ['the first where none came closer', either, {}, ['<nil> Invalid', 'spec.a Required']],
  ['one branch is enough', either, { b: 1 }, []],
  ['one of two that match', { ...integer, oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, ['<nil> Invalid']],
  [
    'one of none',
    { ...integer, oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    0,
    ['<nil> Invalid', 'spec Invalid'],
  ],
  ['exactly one', { ...integer, oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 1, []],
  ['all', { ...integer, allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, ['spec Invalid', '<nil> Invalid']],
  [
    'the same fault twice is one',
    { ...integer, minimum: 5, allOf: [{ minimum: 5 }] },
    1,
    ['spec Invalid', '<nil> Invalid'],
  ],
  ['not', { ...integer, not: { minimum: 1 } }, 3, ['<nil> Invalid']],
])('conditions: %s', ([, schema, value, causes]) => {
  expect(causesOf(schema, value)).toEqual(causes);
});

const loose = object({ a: { ...integer, minimum: 5 }, b: { ...integer, minimum: 5 } });
const preserving: JsonSchema = { ...loose, 'x-kubernetes-preserve-unknown-fields': true, minProperties: 9 };

it.for<readonly [string, JsonSchema, Json, Json, readonly string[]]>([
  ['a bad field that did not change', loose, { a: 1, b: 6 }, { a: 1, b: 7 }, []],
  ['a bad field that changed', loose, { a: 1 }, { a: 2 }, ['spec.a Invalid']],
  ['a bad field that is new', loose, { a: 1 }, { a: 1, b: 1 }, ['spec.b Invalid']],
  ['a list as a whole', { type: 'array', items: { ...integer, minimum: 5 } }, [1, 6], [1, 6], []],
  [
    'an item of a plain list',
    { type: 'array', items: { ...integer, minimum: 5 } },
    [1, 6],
    [1, 7],
    ['spec[0] Invalid'],
  ],
  [
    'an item found by its key',
    map,
    [
      { a: 1, b: 1 },
      { a: 2, b: 6 },
    ],
    [
      { a: 2, b: 7 },
      { a: 1, b: 1 },
    ],
    [],
  ],
  ['an item with another key', map, [{ a: 1, b: 1 }], [{ a: 2, b: 1 }], ['spec[0].b Invalid']],
  ['a map in another order', { ...map, minItems: 3 }, [{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }], []],
  ['a list in another order', { ...set, minItems: 3 }, [1, 2], [2, 1], ['spec Invalid']],
  ['a missing field, the rest unchanged', { ...loose, required: ['c'] }, { a: 1 }, { a: 1 }, []],
  [
    'a missing field, another removed',
    { ...loose, required: ['c'] },
    { a: 6, b: 6 },
    { a: 6 },
    ['spec.c Required'],
  ],
  [
    'a missing field, the rest changed',
    { ...loose, required: ['c'] },
    { a: 1 },
    { a: 5 },
    ['spec.c Required'],
  ],
  ['fields without a schema count as changed', preserving, { x: 1 }, { x: 1 }, ['spec Invalid']],
  ['a condition over what did not change', either, { a: 1 }, { a: 1 }, []],
  [
    'inside a condition nothing is tolerated',
    either,
    { a: 1 },
    { a: 1, x: 1 },
    ['<nil> Invalid', 'spec.a Invalid'],
  ],
  ['a duplicate that was there already', set, [1, 1], [1, 1, 2, 2], []],
  ['a new duplicate', set, [1], [1, 1], ['spec[1] Duplicate']],
])('an update: %s', ([, schema, old, value, causes]) => {
  expect(causesOf(schema, value, old)).toEqual(causes);
});

it('version and kind of the root are never tolerated', () => {
  const schema = object({ kind: { ...text, minLength: 5 }, other: { ...text, minLength: 5 } });
  const value = { kind: 'A', other: 'A' };
  expect(validate(schema, value, value).map(({ field }) => field)).toEqual([]);
  expect(validate(schema, { ...value, x: 1 }, value).map(({ field }) => field)).toEqual(['kind']);
});

it('causes have the texts of the real server', () => {
  const schema = object(
    {
      a: { ...text, maxLength: 1 },
      b: { ...text, enum: ['x', 'y'] },
      c: integer,
      d: { ...text, pattern: '^x' },
    },
    { required: ['e'] },
  );
  expect(validate(schema, { a: 'ab', b: 'z', c: 'q', d: 'y' })).toEqual([
    { field: 'a', reason: 'FieldValueTooLong', message: 'Too long: may not be more than 1 byte' },
    {
      field: 'b',
      reason: 'FieldValueNotSupported',
      message: 'Unsupported value: "z": supported values: "x", "y"',
    },
    {
      field: 'c',
      reason: 'FieldValueTypeInvalid',
      message: 'Invalid value: "string": c in body must be of type integer: "string"',
    },
    { field: 'd', reason: 'FieldValueInvalid', message: 'Invalid value: "y": d in body should match \'^x\'' },
    { field: 'e', reason: 'FieldValueRequired', message: 'Required value' },
  ]);
});

it('validates a hundred thousand items without quadratic comparison', () => {
  const items = Array.from({ length: 100_000 }, (_, index) => ({ a: index, b: 1 }));
  expect(validate(specSchema(map), { spec: [...items, { a: 7 }] })).toHaveLength(100_001);
  expect(validate(specSchema(map), { spec: items.toReversed() }, { spec: items })).toEqual([]);
});

it('accepts nesting up to the limit and rejects it beyond', () => {
  const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)]);
  expect(causesOf(set, [nested(990), nested(990)])).toEqual(['spec[1] Duplicate']);
  let value: Json = 1;
  for (let depth = 0; depth < 50_000; depth += 1) value = [value];
  expect(causesOf(set, value)).toEqual(['<nil> Invalid']);
});
