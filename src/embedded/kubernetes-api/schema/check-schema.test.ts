import { expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { checkSchema } from './check-schema.ts';
import { acceptedSchemas } from '../../../../lab/contracts/kubernetes-api/schema/accepted-schemas.ts';
import { doubtfulSchemas, rootOf } from '../../../../lab/contracts/kubernetes-api/schema/doubtful-schemas.ts';

/** Field and reason of each cause, with `~` for the field `spec`: the answers of the real server. */
const expected: readonly (readonly [string, readonly string[]])[] = [
  ['no type at the root', ['type Required']],
  ['a root that is no object', ['type Invalid']],
  ['nullable root', ['nullable Forbidden']],
  ['additionalProperties at the root', ['additionalProperties Forbidden']],
  ['no type', ['~.type Required']],
  ['no type but anything goes', []],
  ['unknown type', ['~.type NotSupported']],
  ['type null', ['~.type Forbidden', '~.type NotSupported']],
  ['array without items', ['~.items Required']],
  ['items without type', ['~.items.type Required']],
  ['items as a list', ['~.items Forbidden']],
  ['property without type', ['~.properties[a].type Required']],
  ['map without type', ['~.additionalProperties.type Required']],
  ['properties beside a map', ['~.additionalProperties Forbidden']],
  ['properties in a closed object', ['~.additionalProperties Forbidden']],
  ['properties in an open object', []],
  ['unknown fields not preserved', ['~.x-kubernetes-preserve-unknown-fields Invalid']],
  ['int-or-string with a type', []],
  ['int-or-string that preserves', ['~.x-kubernetes-preserve-unknown-fields Invalid']],
  ['a number as type', ['~.type Invalid']],
  ['text as a limit', ['~.minimum Invalid']],
  ['half a length', ['~.maxLength Invalid']],
  ['negative length', []],
  ['unknown format', []],
  ['an unknown keyword', []],
  ['uniqueItems', ['~.uniqueItems Forbidden']],
  ['uniqueItems false', []],
  ['$ref', ['~.$ref Forbidden']],
  ['definitions', ['~.definitions Forbidden']],
  ['dependencies', ['~.dependencies Forbidden']],
  ['patternProperties', ['~.patternProperties Forbidden']],
  ['additionalItems', ['~.additionalItems Forbidden']],
  ['id', ['~.id Forbidden']],
  ['duplicate enum', []],
  ['empty enum', []],
  ['look-ahead', ['~.pattern Invalid']],
  ['look-behind', ['~.pattern Invalid']],
  ['back-reference', ['~.pattern Invalid']],
  ['open group', ['~.pattern Invalid']],
  ['closed too often', ['~.pattern Invalid']],
  ['open bracket', ['~.pattern Invalid']],
  ['range backwards', ['~.pattern Invalid']],
  ['repeated repetition', ['~.pattern Invalid']],
  ['nothing to repeat', ['~.pattern Invalid']],
  ['too many repetitions', ['~.pattern Invalid']],
  ['escape of a letter', ['~.pattern Invalid']],
  ['escape of a code unit', ['~.pattern Invalid']],
  ['atomic group', ['~.pattern Invalid']],
  ['braces that repeat nothing', []],
  ['escapes of marks', []],
  ['named groups', []],
  ['one name twice', []],
  ['scripts and categories', []],
  ['no such script', ['~.pattern Invalid']],
  ['pattern inside a condition', ['~.anyOf[0].pattern Invalid']],
  ['type in allOf', ['~.allOf[0].type Forbidden']],
  ['type in not', ['~.not.type Forbidden']],
  ['default in oneOf', ['~.oneOf[0].default Forbidden']],
  ['title in anyOf', ['~.anyOf[0].title Forbidden']],
  ['description in anyOf', ['~.anyOf[0].description Forbidden']],
  ['nullable in anyOf', ['~.anyOf[0].nullable Forbidden']],
  ['list type in anyOf', ['~.anyOf[0].type Required', '~.anyOf[0].x-kubernetes-list-type Forbidden']],
  ['map in anyOf', ['~.anyOf[0].additionalProperties Forbidden']],
  ['open object in anyOf', ['~.anyOf[0].additionalProperties Forbidden']],
  ['closed object in anyOf', []],
  ['preserving in anyOf', ['~.anyOf[0].x-kubernetes-preserve-unknown-fields Forbidden']],
  ['deep in conditions', ['~.allOf[0].anyOf[0].properties[a].type Forbidden']],
  ['metadata in a condition', ['anyOf[0].properties[metadata] Forbidden', 'properties[metadata] Required']],
  ['a field only a condition knows, at the root', ['properties[a] Required']],
  ['a field only a condition knows', []],
  ['items only a condition knows', ['properties[a].items Required']],
  ['int-or-string spelled out', []],
  ['int-or-string the other way round', ['~.anyOf[0].type Forbidden', '~.anyOf[1].type Forbidden']],
  ['a sound map', []],
  ['map without keys', ['~.x-kubernetes-list-map-keys Required']],
  ['map with unknown key', ['~.x-kubernetes-list-map-keys Invalid']],
  ['map with a key twice', ['~.x-kubernetes-list-map-keys Invalid']],
  ['map with optional key', ['~.items.properties[name].default Required']],
  ['map with defaulted key', []],
  ['map with nullable key', ['~.items.properties[name].nullable Forbidden']],
  ['map with an object as key', ['~.items.properties[name].type Invalid']],
  ['map of texts', ['~.items.type Invalid']],
  ['map of nullable items', ['~.items.nullable Forbidden']],
  ['keys without list type', ['~.x-kubernetes-list-type Required']],
  ['keys of a set', ['~.x-kubernetes-list-type Invalid']],
  ['set of nullable items', ['~.items.nullable Forbidden']],
  ['set of granular objects', ['~.items.x-kubernetes-map-type Invalid']],
  ['set of sets', ['~.items.x-kubernetes-list-type Invalid']],
  ['unknown list type', ['~.x-kubernetes-list-type NotSupported']],
  ['list type of an object', ['~.type Invalid']],
  ['map type of a list', ['~.type Invalid']],
  ['unknown map type', ['~.x-kubernetes-map-type NotSupported']],
  ['a bad default beside a missing type', ['properties[other].type Required']],
  ['default of a wrong type', ['~.default TypeInvalid']],
  ['default that is too short', ['~.default Invalid']],
  ['default with an unknown field', ['~.default Invalid']],
  ['default with a preserved field', []],
  ['default without a required field', ['~.default.a Required']],
  ['default that only defaults would complete', ['~.default.a Required']],
  ['default null', []],
  ['default null of a nullable', []],
  ['default deep inside', ['~.items.properties[a].default TypeInvalid']],
  ['bad default in a map', []],
  ['default with duplicates in a set', []],
  ['default not in the enum', ['~.default NotSupported']],
  ['default against a condition', ['~.default Invalid']],
  ['default of the metadata', ['properties[metadata].default Forbidden']],
  ['default of the kind', ['properties[kind].default Forbidden']],
  ['metadata restricts the name', []],
  ['metadata restricts labels', ['properties[metadata] Forbidden']],
  ['metadata with a description', ['properties[metadata] Forbidden']],
  ['metadata with required', ['properties[metadata] Forbidden']],
  ['metadata is text', ['properties[metadata].type Invalid']],
  ['kind is a number', ['properties[kind].type Invalid']],
  ['embedded without type', ['~.type Required']],
  ['embedded text', ['~.properties Required', '~.type Invalid']],
  ['embedded and empty', ['~.properties Required']],
  ['embedded map', ['~.additionalProperties Forbidden']],
  ['embedded with numeric kind', ['~.properties[kind].type Invalid']],
  ['embedded in metadata', ['~.properties[metadata].x-kubernetes-embedded-resource Forbidden']],
  ['embedded default without kind', ['~.default.apiVersion Required', '~.default.kind Required']],
  ['embedded default', []],
];

function causesOf(schema: Json): readonly string[] {
  const causes = checkSchema(schema, { at: 'at' }).map(({ field, reason }) => {
    const short = field.replace(/^at\./, '').replace(/^properties\[spec\]/, '~');
    return `${short} ${reason.replace('FieldValue', '')}`;
  });
  return [...new Set(causes)].toSorted();
}

function asJson(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema));
}

it('rejects each invalid schema at the fields of the real server', () => {
  expect(doubtfulSchemas.map((one) => [one.name, causesOf(rootOf(one))])).toEqual(expected);
});

it.for(Object.entries(acceptedSchemas))('accepts the sample %s', ([, schema]) => {
  expect(checkSchema(asJson(schema))).toEqual([]);
});

it('a cause has the path of the real server for a definition with one version', () => {
  expect(checkSchema({ type: 'object', properties: { spec: {} } })).toEqual([
    {
      field: 'spec.validation.openAPIV3Schema.properties[spec].type',
      reason: 'FieldValueRequired',
      message: 'Required value: must not be empty for specified object fields',
    },
  ]);
});

it.for<readonly [string, Json, readonly string[]]>([
  ['a condition', { type: 'object', anyOf: [{ required: ['a'] }] }, ['at Invalid']],
  ['a size', { type: 'object', minProperties: 2 }, ['at Invalid']],
  ['required', { type: 'object', required: ['spec'] }, []],
  ['a false flag', { type: 'object', nullable: false }, []],
  ['another type', { type: 'array', items: { type: 'string' } }, ['type Invalid']],
])('beside a status subresource, %s at the root', ([, schema, causes]) => {
  const found = checkSchema(schema, { at: 'at', hasStatusSubresource: true });
  const named = found.map(
    ({ field, reason }) => `${field.replace(/^at\./, '')} ${reason.replace('FieldValue', '')}`,
  );
  expect([...new Set(named)]).toEqual(causes);
});

it.for<readonly [string, Json]>([
  ['a text', 'x'],
  ['null', null],
  ['a list', []],
  ['a property that is no schema', { type: 'object', properties: { a: 5 } }],
  ['properties as a list', { type: 'object', properties: [] }],
  ['allOf as an object', { type: 'object', allOf: {} }],
  ['a null keyword', { type: 'object', pattern: null }],
  ['required of numbers', { type: 'object', required: [1] }],
  ['rules without a rule', { type: 'object', 'x-kubernetes-validations': [{}] }],
])('rejects %s in place of a schema', ([, schema]) => {
  expect(checkSchema(schema)).toMatchObject([{ reason: 'FieldValueInvalid' }]);
});

it('a schema may have a property of any name', () => {
  const properties = { ['__proto__']: { type: 'string' }, constructor: { type: 'string' } };
  expect(checkSchema({ type: 'object', properties })).toEqual([]);
});

it('rejects a schema that is nested too deeply', () => {
  let schema: Json = { type: 'string' };
  for (let depth = 0; depth < 5_000; depth += 1) schema = { type: 'array', items: schema };
  expect(checkSchema(schema)).toMatchObject([
    { message: expect.stringContaining('nested deeper than 1000') },
  ]);
});

it('accepts a schema at the nesting limit', () => {
  let schema: Json = { type: 'string' };
  for (let depth = 0; depth < 990; depth += 1) schema = { type: 'array', items: schema };
  expect(checkSchema({ type: 'object', properties: { spec: schema } })).toEqual([]);
});
