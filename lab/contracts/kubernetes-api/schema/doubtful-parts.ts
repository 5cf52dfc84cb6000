/** Doubtful schemas of lists, of defaults and of embedded resources. */
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { DoubtfulSchema } from './doubtful-schema.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };

function map(more: Readonly<Record<string, Json>>): Json {
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', properties: { name: text }, required: ['name'] },
    ...more,
  };
}

export const doubtfulLists: readonly DoubtfulSchema[] = [
  { name: 'a sound map', spec: map({}) },
  { name: 'map without keys', spec: map({ 'x-kubernetes-list-map-keys': [] }) },
  { name: 'map with unknown key', spec: map({ 'x-kubernetes-list-map-keys': ['other'] }) },
  { name: 'map with a key twice', spec: map({ 'x-kubernetes-list-map-keys': ['name', 'name'] }) },
  { name: 'map with optional key', spec: map({ items: { type: 'object', properties: { name: text } } }) },
  {
    name: 'map with defaulted key',
    spec: map({ items: { type: 'object', properties: { name: { type: 'string', default: 'a' } } } }),
  },
  {
    name: 'map with nullable key',
    spec: map({
      items: { type: 'object', properties: { name: { type: 'string', nullable: true } }, required: ['name'] },
    }),
  },
  {
    name: 'map with an object as key',
    spec: map({ items: { type: 'object', properties: { name: { type: 'object' } }, required: ['name'] } }),
  },
  { name: 'map of texts', spec: map({ items: text }) },
  {
    name: 'map of nullable items',
    spec: map({ items: { type: 'object', nullable: true, properties: { name: text }, required: ['name'] } }),
  },
  {
    name: 'keys without list type',
    spec: { type: 'array', items: text, 'x-kubernetes-list-map-keys': ['a'] },
  },
  {
    name: 'keys of a set',
    spec: {
      type: 'array',
      items: text,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-list-map-keys': ['a'],
    },
  },
  {
    name: 'set of nullable items',
    spec: { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' },
  },
  {
    name: 'set of granular objects',
    spec: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
  },
  {
    name: 'set of sets',
    spec: {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      items: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    },
  },
  { name: 'unknown list type', spec: { type: 'array', items: text, 'x-kubernetes-list-type': 'bag' } },
  { name: 'list type of an object', spec: { type: 'object', 'x-kubernetes-list-type': 'set' } },
  { name: 'map type of a list', spec: { type: 'array', items: text, 'x-kubernetes-map-type': 'atomic' } },
  { name: 'unknown map type', spec: { type: 'object', 'x-kubernetes-map-type': 'bag' } },
];

export const doubtfulDefaults: readonly DoubtfulSchema[] = [
  {
    name: 'a bad default beside a missing type',
    root: { type: 'object', properties: { spec: { type: 'string', default: 5 }, other: {} } },
  },
  { name: 'default of a wrong type', spec: { type: 'string', default: 5 } },
  { name: 'default that is too short', spec: { type: 'string', minLength: 2, default: 'a' } },
  {
    name: 'default with an unknown field',
    spec: { type: 'object', properties: { a: text }, default: { b: 1 } },
  },
  {
    name: 'default with a preserved field',
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { b: 1 } },
  },
  {
    name: 'default without a required field',
    spec: { type: 'object', properties: { a: text }, required: ['a'], default: {} },
  },
  {
    name: 'default that only defaults would complete',
    spec: {
      type: 'object',
      properties: { a: { type: 'string', default: 'x' } },
      required: ['a'],
      default: {},
    },
  },
  { name: 'default null', spec: { type: 'string', default: null } },
  { name: 'default null of a nullable', spec: { type: 'string', nullable: true, default: null } },
  {
    name: 'default deep inside',
    spec: { type: 'array', items: { type: 'object', properties: { a: { type: 'integer', default: 'x' } } } },
  },
  {
    name: 'bad default in a map',
    spec: { type: 'object', additionalProperties: { type: 'integer', default: 'x' } },
  },
  {
    name: 'default with duplicates in a set',
    spec: { type: 'array', items: text, 'x-kubernetes-list-type': 'set', default: ['a', 'a'] },
  },
  { name: 'default not in the enum', spec: { type: 'string', enum: ['a'], default: 'b' } },
  { name: 'default against a condition', spec: { type: 'string', not: { enum: ['a'] }, default: 'a' } },
  {
    name: 'default of the metadata',
    root: { type: 'object', properties: { metadata: { type: 'object', default: {} } } },
  },
  {
    name: 'default of the kind',
    root: { type: 'object', properties: { kind: { type: 'string', default: 'A' } } },
  },
];

export const doubtfulResources: readonly DoubtfulSchema[] = [
  {
    name: 'metadata restricts the name',
    root: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', pattern: '^a' } } } },
    },
  },
  {
    name: 'metadata restricts labels',
    root: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    },
  },
  {
    name: 'metadata with a description',
    root: { type: 'object', properties: { metadata: { type: 'object', description: 'x' } } },
  },
  {
    name: 'metadata with required',
    root: { type: 'object', properties: { metadata: { type: 'object', required: ['name'] } } },
  },
  { name: 'metadata is text', root: { type: 'object', properties: { metadata: text } } },
  { name: 'kind is a number', root: { type: 'object', properties: { kind: integer } } },
  {
    name: 'embedded without type',
    spec: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
  { name: 'embedded text', spec: { type: 'string', 'x-kubernetes-embedded-resource': true } },
  { name: 'embedded and empty', spec: { type: 'object', 'x-kubernetes-embedded-resource': true } },
  {
    name: 'embedded map',
    spec: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      additionalProperties: text,
    },
  },
  {
    name: 'embedded with numeric kind',
    spec: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { kind: integer } },
  },
  {
    name: 'embedded in metadata',
    spec: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: {
        metadata: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
  },
  {
    name: 'embedded default without kind',
    spec: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      default: { a: 1 },
    },
  },
  {
    name: 'embedded default',
    spec: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      default: { apiVersion: 'v1', kind: 'Pod' },
    },
  },
];
