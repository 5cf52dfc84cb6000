/** A schema with every kind of map and list, and values from so few words that writers conflict in the same fields. */
import * as fc from 'fast-check';
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { JsonSchema } from '../../../../src/embedded/kubernetes-api/schema/structural-schema.ts';

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };

function fields(properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', properties, ...more };
}

function listMap(keys: readonly string[], items: JsonSchema): JsonSchema {
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    items: { ...items, required: keys.filter((key) => items.properties?.[key]?.default === undefined) },
  };
}

const set = (items: JsonSchema): JsonSchema => ({ type: 'array', 'x-kubernetes-list-type': 'set', items });
const open = { 'x-kubernetes-preserve-unknown-fields': true };

export const sortsSchema: JsonSchema = fields({
  spec: fields({
    size: integer,
    mode: { ...text, default: 'Slow' },
    note: { ...text, nullable: true },
    limits: fields({ soft: { ...integer, default: 5 }, hard: integer, deep: fields({ a: text, b: text }) }),
    labels: { type: 'object', additionalProperties: text },
    groups: { type: 'object', additionalProperties: fields({ a: text, b: text }) },
    sealed: fields({ a: text, b: text }, { 'x-kubernetes-map-type': 'atomic' }),
    open: { type: 'object', ...open },
    half: fields({ known: fields({ a: text }) }, open),
    tags: set(text),
    numbers: set(integer),
    steps: { type: 'array', items: text },
    grid: { type: 'array', items: { type: 'array', items: integer } },
    parts: listMap(
      ['name'],
      fields({
        name: text,
        count: { ...integer, default: 1 },
        note: text,
        tags: set(text),
        limits: fields({ a: text, b: text }),
      }),
    ),
    ports: listMap(
      ['port', 'protocol'],
      fields({ port: integer, protocol: { ...text, default: 'TCP' }, name: text }),
    ),
    either: { 'x-kubernetes-int-or-string': true },
    template: { type: 'object', 'x-kubernetes-embedded-resource': true, ...open },
  }),
  status: fields({
    phase: text,
    conditions: listMap(['type'], fields({ type: text, status: text })),
  }),
});

type Values = fc.Arbitrary<Json>;

const word: Values = fc.constantFrom('a', 'b', 'c');
const number: Values = fc.nat(2);

function some(of: Readonly<Record<string, Values>>, always: readonly string[] = []): Values {
  return fc.record({ ...of }, { requiredKeys: [...always] }).map((value): Json => ({ ...value }));
}

function list(of: Values, by: (item: Json) => unknown): Values {
  return fc.uniqueArray(of, { maxLength: 3, selector: (item) => JSON.stringify(by(item)) });
}

function keyed(of: Values, ...keys: readonly string[]): Values {
  return list(of, (item) => {
    const entries = new Map(Object.entries(item ?? {}));
    return keys.map((key) => entries.get(key) ?? 'TCP');
  });
}

const pair = some({ a: word, b: word });
const free: Values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    word,
    number,
    fc.constant(null),
    fc.array(number, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { maxKeys: 2 }),
  ),
})).value;
const freeMap: Values = fc.dictionary(fc.constantFrom('a', 'b', 'c'), free, { maxKeys: 2 });

const part = some({ name: word, count: number, note: word, tags: list(word, (item) => item), limits: pair }, [
  'name',
]);
const port = some({ port: number, protocol: fc.constantFrom('TCP', 'UDP'), name: word }, ['port']);

export const specs: Values = some({
  size: number,
  mode: word,
  note: fc.oneof(word, fc.constant(null)),
  limits: some({ soft: number, hard: number, deep: pair }),
  labels: pair,
  groups: some({ x: pair, y: pair }),
  sealed: pair,
  open: freeMap,
  half: some({ known: some({ a: word }), other: free }),
  tags: list(word, (item) => item),
  numbers: list(number, (item) => item),
  steps: fc.array(word, { maxLength: 2 }),
  grid: fc.array(fc.array(number, { maxLength: 2 }), { maxLength: 2 }),
  parts: keyed(part, 'name'),
  ports: keyed(port, 'port', 'protocol'),
  either: fc.oneof(word, number),
  template: some({ apiVersion: fc.constant('v1'), kind: word, data: free }, ['apiVersion', 'kind']),
});

export const statuses: Values = some({
  phase: word,
  conditions: keyed(some({ type: word, status: word }, ['type']), 'type'),
});

export const metadatas: Values = some({
  labels: pair,
  annotations: pair,
  finalizers: list(fc.constantFrom('x.example.com/a', 'x.example.com/b'), (item) => item),
});
