/** Validates the keywords of a schema, each and in combination. */
import { forbidden, invalid, notSupported, required, type Cause } from './cause.ts';
import { listKeywordCauses } from './list-keyword-causes.ts';
import { additionalOf, isPlainScalar, metaFields, type JsonSchema } from './structural-schema.ts';

export interface KeywordPlace {
  readonly at: string;
  readonly isRoot: boolean;
  /** Whether the schema describes part of the metadata of a resource. */
  readonly isInsideMeta: boolean;
  /** Why no default is allowed here. */
  readonly noDefaults?: string;
}

export function keywordCauses(schema: JsonSchema, place: KeywordPlace): readonly Cause[] {
  const { at } = place;
  return [
    ...typeCauses(schema, at),
    ...placeCauses(schema, place),
    ...unsupportedKeywords(schema).map((keyword) =>
      forbidden(`${at}.${keyword}`, `${keyword} is not supported`),
    ),
    ...additionalCauses(schema, at),
    ...mapTypeCauses(schema, at),
    ...listKeywordCauses(schema, at),
    ...innerCauses(schema, place),
  ];
}

const neverSupported = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
  '$schema',
];

/** Forbidden JSON Schema keywords. */
export function unsupportedKeywords(schema: JsonSchema): readonly string[] {
  const named = neverSupported.filter((keyword) => Object.hasOwn(schema, keyword));
  return Array.isArray(schema.items) ? [...named, 'items'] : named;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function typeCauses(schema: JsonSchema, at: string): readonly Cause[] {
  const type: string = schema.type ?? '';
  return [
    ...(type === '' || types.includes(type) ? [] : [notSupported(`${at}.type`, type, types)]),
    ...(type === 'null' ? [forbidden(`${at}.type`, 'type cannot be set to null, use nullable instead')] : []),
    ...(schema.uniqueItems === true
      ? [forbidden(`${at}.uniqueItems`, 'uniqueItems cannot be set to true, use x-kubernetes-list-type')]
      : []),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === false
      ? [invalid(`${at}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined')]
      : []),
  ];
}

function placeCauses(schema: JsonSchema, { at, isInsideMeta, noDefaults }: KeywordPlace): readonly Cause[] {
  return [
    ...(schema.default !== undefined && noDefaults !== undefined
      ? [forbidden(`${at}.default`, `must not be set ${noDefaults}`)]
      : []),
    ...(isInsideMeta && schema['x-kubernetes-embedded-resource'] === true
      ? [forbidden(`${at}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta')]
      : []),
  ];
}

function additionalCauses(schema: JsonSchema, at: string): readonly Cause[] {
  const { additionalProperties, properties = {} } = schema;
  const isMap = additionalProperties !== undefined && additionalProperties !== true;
  if (!isMap || Object.keys(properties).length === 0) return [];
  return [
    forbidden(`${at}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
  ];
}

function mapTypeCauses(schema: JsonSchema, at: string): readonly Cause[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const detail = 'must be object if x-kubernetes-map-type is specified';
  const type: string = schema.type ?? '';
  const wrongType = type === '' ? required(`${at}.type`, detail) : invalid(`${at}.type`, type, detail);
  const allowed = ['atomic', 'granular'];
  return [
    ...(type === 'object' ? [] : [wrongType]),
    ...(allowed.includes(mapType) ? [] : [notSupported(`${at}.x-kubernetes-map-type`, mapType, allowed)]),
  ];
}

function innerCauses(schema: JsonSchema, place: KeywordPlace): readonly Cause[] {
  const { at } = place;
  const inside = { ...place, isRoot: false };
  const { items, not, allOf = [], anyOf = [], oneOf = [], properties = {} } = schema;
  const additional = additionalOf(schema);
  const singles = Object.entries({ not, items: Array.isArray(items) ? undefined : items });
  return [
    ...(additional === undefined ? [] : keywordCauses(additional, additionalPlace(place))),
    ...Object.entries(properties).flatMap(([key, one]) =>
      isPlainScalar(one) ? [] : keywordCauses(one, propertyPlace(schema, place, key)),
    ),
    ...singles.flatMap(([keyword, one]) =>
      one === undefined ? [] : keywordCauses(one, { ...inside, at: `${at}.${keyword}` }),
    ),
    ...Object.entries({ allOf, anyOf, oneOf }).flatMap(([keyword, schemas]) =>
      schemas.flatMap((one, index) => keywordCauses(one, { ...inside, at: `${at}.${keyword}[${index}]` })),
    ),
  ];
}

function additionalPlace(place: KeywordPlace): KeywordPlace {
  const inside = { ...place, at: `${place.at}.additionalProperties`, isRoot: false };
  return place.isInsideMeta
    ? { ...inside, noDefaults: 'inside additionalProperties applying to object metadata' }
    : inside;
}

function propertyPlace(schema: JsonSchema, place: KeywordPlace, key: string): KeywordPlace {
  const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const inside = { ...place, at: `${place.at}.properties[${key}]`, isRoot: false };
  if (!isResource || !metaFields.has(key)) return inside;
  return { ...inside, isInsideMeta: true, ...(place.isRoot && { noDefaults: `in top-level ${key}` }) };
}
