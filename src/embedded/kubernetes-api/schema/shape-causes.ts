/** Checks the types of keyword values. The real server cannot decode other types. */
import { isJsonObject, type Json } from '../json.ts';
import { invalid, type Cause } from './cause.ts';

const plainShapes = {
  schemas: (value: Json) => Array.isArray(value),
  'named schemas': isJsonObject,
  text: (value: Json) => typeof value === 'string',
  number: (value: Json) => typeof value === 'number',
  count: (value: Json) => Number.isInteger(value),
  flag: (value: Json) => typeof value === 'boolean',
  list: (value: Json) => Array.isArray(value),
  texts: (value: Json) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  rules: (value: Json) =>
    Array.isArray(value) && value.every((one) => isJsonObject(one) && typeof one['rule'] === 'string'),
};

type Shape = keyof typeof plainShapes | 'schema' | 'flag or schema';

const shapes: Readonly<Record<string, Shape>> = {
  type: 'text',
  format: 'text',
  title: 'text',
  description: 'text',
  pattern: 'text',
  properties: 'named schemas',
  additionalProperties: 'flag or schema',
  required: 'texts',
  enum: 'list',
  nullable: 'flag',
  minimum: 'number',
  maximum: 'number',
  multipleOf: 'number',
  exclusiveMinimum: 'flag',
  exclusiveMaximum: 'flag',
  minLength: 'count',
  maxLength: 'count',
  minItems: 'count',
  maxItems: 'count',
  minProperties: 'count',
  maxProperties: 'count',
  uniqueItems: 'flag',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  'x-kubernetes-preserve-unknown-fields': 'flag',
  'x-kubernetes-embedded-resource': 'flag',
  'x-kubernetes-int-or-string': 'flag',
  'x-kubernetes-list-type': 'text',
  'x-kubernetes-list-map-keys': 'texts',
  'x-kubernetes-map-type': 'text',
  'x-kubernetes-validations': 'rules',
};

/** A list of schemas under `items` is decodable, and is rejected later with its own error. */
export function shapeCauses(schema: Json, at: string): readonly Cause[] {
  if (!isJsonObject(schema)) return [invalid(at, schema, 'must be a schema')];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const path = `${at}.${keyword}`;
    if (keyword === 'items' && !Array.isArray(value)) return shapeCauses(value, path);
    const shape = Object.hasOwn(shapes, keyword) ? shapes[keyword] : undefined;
    return shape === undefined ? [] : causesOfKeyword(shape, value, path);
  });
}

function causesOfKeyword(shape: Shape, value: Json, path: string): readonly Cause[] {
  if (shape === 'schema') return shapeCauses(value, path);
  if (shape === 'flag or schema') return typeof value === 'boolean' ? [] : shapeCauses(value, path);
  if (shape === 'schemas' && Array.isArray(value))
    return value.flatMap((one, index) => shapeCauses(one, `${path}[${index}]`));
  if (shape === 'named schemas' && isJsonObject(value))
    return Object.entries(value).flatMap(([name, one]) => shapeCauses(one, `${path}[${name}]`));
  return plainShapes[shape](value) ? [] : [invalid(path, value, `must be: ${shape}`)];
}
