import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { structuralSchema } from './structural-schema.ts';
import { timestamp } from '../kinds/timestamp.ts';

const described = (schema: z.ZodType) =>
  z.object({ spec: z.object({ field: schema.describe('A field.') }).describe('Spec.') });
const field = (schema: z.ZodType) =>
  structuralSchema(described(schema)).properties?.['spec']?.properties?.['field'];

interface Tree {
  readonly branches: readonly Tree[];
}
const tree: z.ZodType<Tree> = z.object({ branches: z.lazy(() => z.array(tree)).describe('Branches.') });

const keyed = (item: z.ZodType, keys: readonly string[]) =>
  z.array(item).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });

describe('structural schema', () => {
  it.each([
    ['text', z.string().min(1).max(9), { type: 'string', minLength: 1, maxLength: 9 }],
    ['a pattern', z.string().regex(/^[a-z]+$/), { type: 'string', pattern: '^[a-z]+$' }],
    ['text or null', z.string().nullable().optional(), { type: 'string', nullable: true }],
    ['a choice', z.enum(['a', 'b']).default('b'), { type: 'string', enum: ['a', 'b'], default: 'b' }],
    ['a time', timestamp.optional(), { type: 'string', format: 'date-time' }],
    ['a 32-bit integer', z.int32(), { type: 'integer', format: 'int32' }],
    ['a 32-bit integer with a minimum', z.int32().min(0), { type: 'integer', format: 'int32', minimum: 0 }],
    [
      'a narrow integer',
      z.int32().min(1).max(9).default(5),
      { type: 'integer', format: 'int32', minimum: 1, maximum: 9, default: 5 },
    ],
    ['a 64-bit integer', z.int(), { type: 'integer', format: 'int64' }],
    ['a 64-bit integer with a minimum', z.int().min(0), { type: 'integer', format: 'int64', minimum: 0 }],
    ['a number', z.number().min(0), { type: 'number', minimum: 0 }],
    ['an empty object', z.object({}).prefault({}), { type: 'object', default: {} }],
    ['a list', z.array(z.int32()), { type: 'array', items: { type: 'integer', format: 'int32' } }],
    [
      'an object whose inner defaults apply when it is left out',
      z.object({ os: z.string().default('Tahoe').describe('OS.') }).prefault({}),
      {
        type: 'object',
        default: {},
        properties: { os: { type: 'string', default: 'Tahoe', description: 'OS.' } },
      },
    ],
    [
      'a keyed list',
      keyed(z.object({ type: z.string().describe('Type.') }), ['type']),
      {
        type: 'array',
        items: {
          type: 'object',
          required: ['type'],
          properties: { type: { type: 'string', description: 'Type.' } },
        },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
      },
    ],
  ])('holds %s', (_, schema, expected) => {
    expect(field(schema)).toEqual({ description: 'A field.', ...expected });
  });

  it('requires exactly the fields that are neither optional nor have a default', () => {
    const schema = z.object({
      needed: z.string().describe('Needed.'),
      filled: z.string().default('x').describe('Filled.'),
      free: z.string().optional().describe('Free.'),
    });
    expect(structuralSchema(schema).required).toEqual(['needed']);
  });

  it.each([
    ['$ref', tree, 'spec.field.branches: Unrecognized key: "$ref"'],
    ['const', z.string().meta({ const: 'x' }), 'spec.field: Unrecognized key: "const"'],
    ['a type array', z.string().meta({ type: ['string', 'null'] }), 'spec.field type: Invalid option'],
    ['a missing type', z.any(), 'spec.field type: Invalid option'],
    ['anyOf', z.union([z.string(), z.int32()]), 'spec.field: Unrecognized key: "anyOf"'],
    ['oneOf', z.xor([z.string(), z.int32()]), 'spec.field: Unrecognized key: "oneOf"'],
    ['allOf', z.string().meta({ allOf: [] }), 'spec.field: Unrecognized key: "allOf"'],
    [
      'additionalProperties beside properties',
      z.looseObject({ a: z.string().describe('A.') }),
      'spec.field: Unrecognized key: "additionalProperties"',
    ],
    [
      'an unlisted keyword',
      z.array(z.string()).meta({ uniqueItems: true }),
      'spec.field: Unrecognized key: "uniqueItems"',
    ],
    ['an unknown format', z.email(), 'spec.field format: Invalid option'],
    [
      'an array without items',
      z.array(z.string()).meta({ items: undefined }),
      'spec.field: an array without items',
    ],
    ['look-ahead', z.string().regex(/^(?=a)/), 'spec.field: the pattern needs look-around'],
    ['negative look-ahead', z.string().regex(/^(?!a)/), 'spec.field: the pattern needs look-around'],
    ['look-behind', z.string().regex(/(?<=a)b/), 'spec.field: the pattern needs look-around'],
    [
      'a back-reference',
      z.string().regex(/(a)\1/),
      'spec.field: the pattern needs look-around or back-references',
    ],
    [
      'a keyed list without keys',
      keyed(z.object({ type: z.string().describe('Type.') }), []),
      'spec.field: each key of a keyed list',
    ],
    [
      'a keyed list whose key may be missing',
      keyed(z.object({ type: z.string().optional().describe('Type.') }), ['type']),
      'spec.field: each key of a keyed list',
    ],
    [
      'a default of another type',
      z.int32().meta({ default: 'five' }),
      'spec.field: the default is not valid',
    ],
    ['a default out of bounds', z.int32().min(1).default(0), 'spec.field: the default is not valid'],
    [
      'a default without a required field',
      z.object({ a: z.string().describe('A.') }).meta({ default: {} }),
      'spec.field: the default is not valid',
    ],
    [
      'a default with a field the schema does not have',
      z.object({}).meta({ default: { typo: 1 } }),
      'spec.field: the default is not valid',
    ],
    [
      'a default that loses a nested field',
      z.object({ a: z.object({}).describe('A.') }).meta({ default: { a: { typo: 1 } } }),
      'spec.field: the default is not valid',
    ],
  ])('rejects %s and names the field', (_, schema, message) => {
    expect(() => field(schema)).toThrow(message);
  });

  it.each([
    [
      'a field',
      z.object({ spec: z.object({ field: z.string() }).describe('Spec.') }),
      'spec.field: the description is missing',
    ],
    [
      'a field of a list item',
      z.object({ list: z.array(z.object({ item: z.string() })).describe('List.') }),
      'list[].item: the description is missing',
    ],
    ['an object', z.object({ spec: z.object({}) }), 'spec: the description is missing'],
  ])('rejects %s without a description', (_, schema, message) => {
    expect(() => structuralSchema(schema)).toThrow(message);
  });

  it('names all invalid fields at once', () => {
    const schema = z.object({ a: z.string(), b: z.int32().min(1).default(0) });
    expect(() => structuralSchema(schema)).toThrow(
      new Error(
        [
          'not a structural schema:',
          '  b: the default is not valid for its own schema',
          '  a: the description is missing',
          '  b: the description is missing',
        ].join('\n'),
      ),
    );
  });
});
