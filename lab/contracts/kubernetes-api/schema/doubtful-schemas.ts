/** Schemas with one error each, and near misses. */
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { DoubtfulSchema } from './doubtful-schema.ts';
import { doubtfulDefaults, doubtfulLists, doubtfulResources } from './doubtful-parts.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };

const types: readonly DoubtfulSchema[] = [
  { name: 'no type at the root', root: { properties: {} } },
  { name: 'a root that is no object', root: { type: 'string' } },
  { name: 'nullable root', root: { type: 'object', nullable: true } },
  { name: 'additionalProperties at the root', root: { type: 'object', additionalProperties: text } },
  { name: 'no type', spec: {} },
  { name: 'no type but anything goes', spec: { 'x-kubernetes-preserve-unknown-fields': true } },
  { name: 'unknown type', spec: { type: 'date' } },
  { name: 'type null', spec: { type: 'null' } },
  { name: 'array without items', spec: { type: 'array' } },
  { name: 'items without type', spec: { type: 'array', items: {} } },
  { name: 'items as a list', spec: { type: 'array', items: [text] } },
  { name: 'property without type', spec: { type: 'object', properties: { a: { description: 'a' } } } },
  { name: 'map without type', spec: { type: 'object', additionalProperties: {} } },
  {
    name: 'properties beside a map',
    spec: { type: 'object', properties: { a: text }, additionalProperties: text },
  },
  {
    name: 'properties in a closed object',
    spec: { type: 'object', properties: { a: text }, additionalProperties: false },
  },
  {
    name: 'properties in an open object',
    spec: { type: 'object', properties: { a: text }, additionalProperties: true },
  },
  {
    name: 'unknown fields not preserved',
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
  },
  { name: 'int-or-string with a type', spec: { type: 'string', 'x-kubernetes-int-or-string': true } },
  {
    name: 'int-or-string that preserves',
    spec: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
  { name: 'a number as type', spec: { type: 5 } },
  { name: 'text as a limit', spec: { type: 'integer', minimum: 'x' } },
  { name: 'half a length', spec: { type: 'string', maxLength: 1.5 } },
  { name: 'negative length', spec: { type: 'string', maxLength: -1 } },
  { name: 'unknown format', spec: { type: 'string', format: 'no-such-format' } },
  { name: 'an unknown keyword', spec: { type: 'string', colour: 'red' } },
];

const keywords: readonly DoubtfulSchema[] = [
  { name: 'uniqueItems', spec: { type: 'array', items: text, uniqueItems: true } },
  { name: 'uniqueItems false', spec: { type: 'array', items: text, uniqueItems: false } },
  { name: '$ref', spec: { $ref: '#/x' } },
  { name: 'definitions', spec: { type: 'object', definitions: { a: text } } },
  { name: 'dependencies', spec: { type: 'object', dependencies: { a: ['b'] } } },
  { name: 'patternProperties', spec: { type: 'object', patternProperties: { a: text } } },
  { name: 'additionalItems', spec: { type: 'array', items: text, additionalItems: true } },
  { name: 'id', spec: { type: 'string', id: 'x' } },
  { name: 'duplicate enum', spec: { type: 'string', enum: ['a', 'a'] } },
  { name: 'empty enum', spec: { type: 'string', enum: [] } },
  { name: 'look-ahead', spec: { type: 'string', pattern: '(?=a)' } },
  { name: 'look-behind', spec: { type: 'string', pattern: '(?<!a)b' } },
  { name: 'back-reference', spec: { type: 'string', pattern: '(a)\\1' } },
  { name: 'open group', spec: { type: 'string', pattern: '(a' } },
  { name: 'closed too often', spec: { type: 'string', pattern: 'a)' } },
  { name: 'open bracket', spec: { type: 'string', pattern: '[a' } },
  { name: 'range backwards', spec: { type: 'string', pattern: '[b-a]' } },
  { name: 'repeated repetition', spec: { type: 'string', pattern: 'a**' } },
  { name: 'nothing to repeat', spec: { type: 'string', pattern: '*a' } },
  { name: 'too many repetitions', spec: { type: 'string', pattern: 'a{1001}' } },
  { name: 'escape of a letter', spec: { type: 'string', pattern: '\\y' } },
  { name: 'escape of a code unit', spec: { type: 'string', pattern: '\\u0041' } },
  { name: 'atomic group', spec: { type: 'string', pattern: '(?>a)' } },
  { name: 'braces that repeat nothing', spec: { type: 'string', pattern: 'a{,2}{x' } },
  { name: 'escapes of marks', spec: { type: 'string', pattern: '\\-\\_\\/\\@[\\-\\]]' } },
  { name: 'named groups', spec: { type: 'string', pattern: '(?P<a>x)(?<b>y)' } },
  { name: 'one name twice', spec: { type: 'string', pattern: '(?P<a>x)(?P<a>y)' } },
  { name: 'scripts and categories', spec: { type: 'string', pattern: '\\p{Greek}\\PL\\p{^Lu}' } },
  { name: 'no such script', spec: { type: 'string', pattern: '\\p{Klingon}' } },
  { name: 'pattern inside a condition', spec: { type: 'string', anyOf: [{ pattern: '(' }] } },
];

const conditions: readonly DoubtfulSchema[] = [
  { name: 'type in allOf', spec: { type: 'string', allOf: [text] } },
  { name: 'type in not', spec: { type: 'string', not: text } },
  { name: 'default in oneOf', spec: { type: 'string', oneOf: [{ default: 'a' }] } },
  { name: 'title in anyOf', spec: { type: 'string', anyOf: [{ title: 'a' }] } },
  { name: 'description in anyOf', spec: { type: 'string', anyOf: [{ description: 'a' }] } },
  { name: 'nullable in anyOf', spec: { type: 'string', anyOf: [{ nullable: true }] } },
  {
    name: 'list type in anyOf',
    spec: { type: 'array', items: text, anyOf: [{ 'x-kubernetes-list-type': 'set' }] },
  },
  {
    name: 'map in anyOf',
    spec: { type: 'object', additionalProperties: text, anyOf: [{ additionalProperties: { minLength: 1 } }] },
  },
  { name: 'open object in anyOf', spec: { type: 'object', anyOf: [{ additionalProperties: true }] } },
  { name: 'closed object in anyOf', spec: { type: 'object', anyOf: [{ additionalProperties: false }] } },
  {
    name: 'preserving in anyOf',
    spec: { type: 'object', anyOf: [{ 'x-kubernetes-preserve-unknown-fields': true }] },
  },
  {
    name: 'deep in conditions',
    spec: { type: 'object', properties: { a: text }, allOf: [{ anyOf: [{ properties: { a: text } }] }] },
  },
  {
    name: 'metadata in a condition',
    root: { type: 'object', anyOf: [{ properties: { metadata: { required: ['name'] } } }] },
  },
  {
    name: 'a field only a condition knows, at the root',
    root: { type: 'object', allOf: [{ properties: { a: { minimum: 1 } } }] },
  },
  {
    name: 'a field only a condition knows',
    spec: { type: 'object', allOf: [{ properties: { a: { minimum: 1 } } }] },
  },
  {
    name: 'items only a condition knows',
    root: {
      type: 'object',
      properties: { a: { type: 'object' } },
      not: { properties: { a: { items: { minimum: 1 } } } },
    },
  },
  { name: 'int-or-string spelled out', spec: { 'x-kubernetes-int-or-string': true, anyOf: [integer, text] } },
  {
    name: 'int-or-string the other way round',
    spec: { 'x-kubernetes-int-or-string': true, anyOf: [text, integer] },
  },
];

export const doubtfulSchemas: readonly DoubtfulSchema[] = [
  ...types,
  ...keywords,
  ...conditions,
  ...doubtfulLists,
  ...doubtfulDefaults,
  ...doubtfulResources,
];

export function rootOf({ root, spec = text }: DoubtfulSchema): Json {
  return root ?? { type: 'object', properties: { spec } };
}
