/** Values for a schema, most of them nearly valid. Keys and texts are chosen at the limits of the rules. */
import * as fc from 'fast-check';
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { JsonSchema } from '../../../../src/embedded/kubernetes-api/schema/structural-schema.ts';
import { formatTexts, patternTexts } from './texts.ts';

const junk: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  null,
  true,
  0,
  1,
  -1,
  1.5,
  3e9,
  1e20,
  '',
  'x',
  '12',
  [],
  [1],
  ['a', null],
  {},
  { a: 1 },
  { a: { b: [{}] } },
);

const words = fc.constantFrom('', 'a', 'ab', 'abc', 'foo', 'héé', '😀😀', 'red', 'TCP', 'x'.repeat(25));
const integers = fc.constantFrom(0, 1, 2, 3, 4, 5, 6, -3, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53);
const numbers = fc.oneof(
  integers,
  fc.constantFrom(0.5, 0.1, 0.3, 1.5, 2.5, 3.5, 3.6, -0.5, 1e39, 1e300, 1.25),
);
const mapKeys = fc.constantFrom('a', 'b', 'c.d', 'constructor', '__proto__', 'e/f');

export function valuesOf(schema: JsonSchema): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 14, arbitrary: fittingValues(schema) },
    { weight: 1, arbitrary: junk },
    { weight: schema.enum === undefined ? 0 : 14, arbitrary: fc.constantFrom(...(schema.enum ?? [null])) },
  );
}

function fittingValues(schema: JsonSchema): fc.Arbitrary<Json> {
  if (schema.type === undefined)
    return schema['x-kubernetes-int-or-string'] === true ? fc.oneof(integers, words) : junk;
  switch (schema.type) {
    case 'object':
      return objectsOf(schema);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: 3 });
    case 'string':
      return textsOf(schema);
    case 'integer':
      return integers;
    case 'number':
      return numbers;
    case 'boolean':
      return fc.boolean();
  }
}

function textsOf({ format, pattern }: JsonSchema): fc.Arbitrary<string> {
  const known = [...(formatTexts[format ?? ''] ?? []), ...(patternTexts[pattern ?? ''] ?? [])];
  return known.length === 0 ? words : fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known) }, words);
}

function objectsOf(schema: JsonSchema): fc.Arbitrary<Json> {
  if (typeof schema.additionalProperties === 'object')
    return entriesOf(fc.array(fc.tuple(mapKeys, valuesOf(schema.additionalProperties)), { maxLength: 3 }));
  const embedded = schema['x-kubernetes-embedded-resource'] === true ? [embeddedFields] : [];
  const known = Object.entries(schema.properties ?? {}).map(([key, property]) =>
    fc.option(fc.tuple(fc.constant(key), valuesOf(property)), { nil: undefined, freq: 3 }),
  );
  const stranger = fc.option(fc.tuple(mapKeys, junk), { nil: undefined, freq: 1 });
  const dense = fc.tuple(...known, stranger, ...embedded.flat());
  // With few fields, more objects are valid as a whole.
  const sparse = fc.tuple(fc.oneof(...known, stranger), fc.oneof(...known, stranger), ...embedded.flat());
  return entriesOf(
    fc.oneof(dense, sparse).map((all) => all.flatMap((one) => (one === undefined ? [] : [one]))),
  );
}

function entriesOf(entries: fc.Arbitrary<readonly (readonly [string, Json])[]>): fc.Arbitrary<Json> {
  return entries.map((all) => Object.fromEntries(all));
}

function often(key: string, ...values: readonly Json[]): fc.Arbitrary<readonly [string, Json] | undefined> {
  return fc.option(fc.tuple(fc.constant(key), fc.constantFrom(...values)), { nil: undefined, freq: 5 });
}

/** A known difference: the metadata of an embedded resource is not checked, so it is always valid here. */
const embeddedFields = [
  often('apiVersion', 'v1', 'apps/v1', 'a/b/c', ''),
  often('kind', 'Pod', 'pod-set', '9pods', 'Pod Set', ''),
  often('metadata', { name: 'x', labels: { a: 'b' } }),
];
