/** The conditions of a schema, inside `allOf`, `anyOf`, `oneOf` and `not`, may restrict values but not describe them. */
import { forbidden, invalid, type Cause } from './cause.ts';
import { patternSyntaxFault } from './pattern.ts';
import { propertyOf, type JsonSchema } from './structural-schema.ts';

export function conditionCauses(schema: JsonSchema, at: string): readonly Cause[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  return [
    ...(isIntOrString(anyOf)
      ? []
      : anyOf.flatMap((one, index) => nestedCauses(one, `${at}.anyOf[${index}]`))),
    ...allOf.flatMap((one, index) =>
      nestedCauses(
        index === 0 && isIntOrString(one.anyOf) ? withoutAnyOf(one) : one,
        `${at}.allOf[${index}]`,
      ),
    ),
    ...oneOf.flatMap((one, index) => nestedCauses(one, `${at}.oneOf[${index}]`)),
    ...(not === undefined ? [] : nestedCauses(not, `${at}.not`)),
    ...patternCauses(schema, at),
  ];
}

/** The only form in which a condition may have types. */
function isIntOrString(anyOf: readonly JsonSchema[] | undefined): boolean {
  return anyOf !== undefined && anyOf.length === 2 && anyOf.every((one, index) => isOnly(one, index));
}

function isOnly(schema: JsonSchema, index: number): boolean {
  return Object.keys(schema).length === 1 && schema.type === (index === 0 ? 'integer' : 'string');
}

function withoutAnyOf({ anyOf: _anyOf, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

function patternCauses({ pattern = '' }: JsonSchema, at: string): readonly Cause[] {
  const fault = pattern === '' ? undefined : patternSyntaxFault(pattern);
  if (fault === undefined) return [];
  return [invalid(`${at}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`)];
}

const describing = [
  'type',
  'additionalProperties',
  'default',
  'title',
  'description',
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const;

function nestedCauses(schema: JsonSchema, at: string): readonly Cause[] {
  const { items, properties = {} } = schema;
  const described = describing.filter((keyword) => isSet(schema[keyword]));
  return [
    ...conditionCauses(schema, at),
    ...(items === undefined ? [] : nestedCauses(items, `${at}.items`)),
    ...Object.entries(properties).flatMap(([key, one]) => nestedCauses(one, `${at}.properties[${key}]`)),
    ...described.map((keyword) => forbidden(`${at}.${keyword}`, 'must not be set to be structural')),
    ...(propertyOf(schema, 'metadata') === undefined
      ? []
      : [forbidden(`${at}.properties[metadata]`, 'must not be specified in a nested context')]),
  ];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== false && value !== '' && value !== null && !isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
