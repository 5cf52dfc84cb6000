/** Schemas that together use every keyword, by topic. The real server accepts each of them. */
import type { JsonSchema } from '../../../../src/embedded/kubernetes-api/schema/structural-schema.ts';

function field(properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', properties, ...more };
}

function resource(spec: JsonSchema): JsonSchema {
  return { type: 'object', required: ['spec'], properties: { spec } };
}

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };

export const formatNames = [
  'bsonobjectid',
  'uri',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'byte',
  'password',
  'date',
  'duration',
  'datetime',
  'date-time',
  'k8s-short-name',
  'k8s-long-name',
  'no-such-format',
] as const;

export const patterns = [
  '^[a-z]([-a-z0-9]*[a-z0-9])?$',
  '(?i)^(foo|ba[rz])+$',
  '^\\d{2,3}\\.\\w+\\s?$',
  '^[[:alpha:]_]\\pL*\\z',
  '^(a+)+$',
  '\\bword\\b',
  '^[^\\s/]{1,4}/.$',
  '\\Qa.b\\E$',
  '(?m)^line$',
  '^(?:é|\\x{1F600}|\\x41){2}',
] as const;

export const acceptedSchemas: Readonly<Record<string, JsonSchema>> = {
  types: resource(
    field(
      {
        object: field({ inner: text }),
        list: { type: 'array', items: integer },
        text,
        integer,
        number: { type: 'number' },
        flag: { type: 'boolean' },
        maybe: { type: 'string', nullable: true },
        maybeObject: field({ a: integer }, { nullable: true, required: ['a'] }),
        either: { 'x-kubernetes-int-or-string': true },
        eitherSpelled: {
          'x-kubernetes-int-or-string': true,
          anyOf: [{ type: 'integer' }, { type: 'string' }],
        },
        anything: { 'x-kubernetes-preserve-unknown-fields': true, title: 'anything', description: 'at all' },
        constructor: integer,
      },
      { required: ['text'] },
    ),
  ),
  numbers: resource(
    field({
      least: { type: 'integer', minimum: 2 },
      most: { type: 'integer', maximum: 5, exclusiveMaximum: true },
      between: { type: 'number', minimum: 0.5, exclusiveMinimum: true, maximum: 3.5 },
      above: { type: 'number', minimum: 0.5 },
      halves: { type: 'number', multipleOf: 0.5 },
      tenths: { type: 'number', multipleOf: 0.1 },
      threes: { type: 'integer', multipleOf: 3 },
      oddLimit: { type: 'integer', minimum: 1.5 },
      small: { type: 'integer', format: 'int32' },
      large: { type: 'integer', format: 'int64' },
      single: { type: 'number', format: 'float' },
      double: { type: 'number', format: 'double' },
      other: { type: 'integer', format: 'uint8' },
      portOrName: { 'x-kubernetes-int-or-string': true, minimum: 2, maxLength: 3 },
    }),
  ),
  texts: resource(
    field(
      Object.fromEntries([
        ['short', { type: 'string', maxLength: 3 }],
        ['long', { type: 'string', minLength: 3 }],
        ...patterns.map((pattern, index): [string, JsonSchema] => [
          `pattern${index}`,
          { type: 'string', pattern },
        ]),
      ]),
    ),
  ),
  formats: resource(
    field(
      Object.fromEntries(
        formatNames.map((format): [string, JsonSchema] => [
          format.replaceAll('-', ''),
          { type: 'string', format },
        ]),
      ),
    ),
  ),
  lists: resource(
    field({
      few: { type: 'array', items: text, minItems: 1, maxItems: 2 },
      set: { type: 'array', items: { type: 'number' }, 'x-kubernetes-list-type': 'set' },
      setOfObjects: {
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: field({ a: integer, b: text }, { 'x-kubernetes-map-type': 'atomic' }),
      },
      byName: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: field({ name: text, size: { type: 'integer', minimum: 1 } }, { required: ['name'] }),
      },
      byPort: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
        items: field({ port: integer, protocol: { type: 'string', default: 'TCP' } }, { required: ['port'] }),
      },
      lists: { type: 'array', items: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: integer } },
    }),
  ),
  maps: resource(
    field({
      labels: { type: 'object', additionalProperties: text, maxProperties: 2 },
      sizes: { type: 'object', additionalProperties: { type: 'integer', minimum: 3 }, minProperties: 1 },
      nested: {
        type: 'object',
        additionalProperties: field({ a: integer, b: { type: 'integer', default: 7 } }),
      },
      sets: {
        type: 'object',
        additionalProperties: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      },
      free: { type: 'object', additionalProperties: true },
      mixed: field({ a: integer }, { additionalProperties: true }),
      closed: { type: 'object', additionalProperties: false },
    }),
  ),
  enums: resource(
    field({
      colour: { type: 'string', enum: ['red', 'green', ''] },
      count: { type: 'integer', enum: [1, 2] },
      ratio: { type: 'number', enum: [0.5, 2] },
      maybe: { type: 'string', nullable: true, enum: ['a', null] },
      point: field({ x: integer }, { enum: [{ x: 1 }] }),
      pair: { type: 'array', items: integer, enum: [[1, 2]] },
    }),
  ),
  defaults: resource(
    field(
      {
        plain: { type: 'string', default: 'x' },
        zero: { type: 'integer', default: 0 },
        nullable: { type: 'string', nullable: true, default: 'n' },
        withoutParent: field({ inner: { type: 'integer', default: 1 } }),
        completed: field({ a: { type: 'integer', default: 1 }, b: integer }, { default: { b: 2 } }),
        items: { type: 'array', items: field({ a: { type: 'integer', default: 1 }, b: text }) },
        itemDefault: { type: 'array', items: { type: 'integer', default: 4 } },
        byKey: { type: 'object', additionalProperties: { type: 'integer', default: 5 } },
        list: { type: 'array', items: text, default: ['a'] },
        withoutDefault: { type: 'integer' },
      },
      { default: {} },
    ),
  ),
  unknownFields: resource(
    field({
      kept: field({ known: field({ a: integer }) }, { 'x-kubernetes-preserve-unknown-fields': true }),
      keptList: {
        type: 'array',
        'x-kubernetes-preserve-unknown-fields': true,
        items: field({ a: field({ b: integer }) }),
      },
      strict: field({ a: integer }),
      embedded: field({ spec: field({ a: integer }) }, { 'x-kubernetes-embedded-resource': true }),
      anyResource: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    }),
  ),
  conditions: resource(
    field(
      { a: integer, b: text, c: { type: 'array', items: integer }, d: { type: 'number' }, e: text },
      {
        allOf: [{ maxProperties: 4 }, { properties: { a: { minimum: 2 } } }],
        anyOf: [{ required: ['b'] }, { properties: { c: { minItems: 1 } }, required: ['c'] }],
        oneOf: [{ required: ['d'] }, { required: ['e'] }],
        not: { required: ['d', 'b'] },
      },
    ),
  ),
  conditionsOnValues: resource(
    field({
      text: { type: 'string', oneOf: [{ minLength: 3 }, { pattern: '^a' }], not: { enum: ['abc'] } },
      stamp: { type: 'string', anyOf: [{ format: 'date' }, { format: 'ipv4' }] },
      number: { type: 'number', allOf: [{ minimum: 1 }, { maximum: 4, multipleOf: 2 }] },
      portOrName: {
        'x-kubernetes-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: '^[a-z]+$', minimum: 3 }],
      },
      list: { type: 'array', items: integer, anyOf: [{ items: { minimum: 3 } }, { maxItems: 1 }] },
      deep: field(
        { x: field({ y: integer }), z: field({ y: integer }) },
        {
          oneOf: [
            { properties: { x: { properties: { y: { minimum: 5 } }, required: ['y'] } }, required: ['x'] },
            { properties: { z: { properties: { y: { maximum: 1 } } } }, required: ['z'] },
          ],
        },
      ),
    }),
  ),
  rootRules: {
    type: 'object',
    properties: {
      apiVersion: text,
      kind: { type: 'string', minLength: 1 },
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 20 } } },
      spec: field({ a: integer }),
      extra: field({ b: integer }),
    },
    minProperties: 5,
    anyOf: [{ required: ['spec'] }, { required: ['extra'] }],
    'x-kubernetes-map-type': 'granular',
  },
};
