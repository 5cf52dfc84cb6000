/**
 * Validates the schema of a CustomResourceDefinition. The real server rejects every error found here at the create. CEL
 * rules are checked elsewhere.
 */
import { isJsonObject, type Json } from '../json.ts';
import { forbidden, invalid, type Cause } from './cause.ts';
import { completenessCauses } from './completeness-causes.ts';
import { defaultCauses } from './default-causes.ts';
import { keywordCauses, unsupportedKeywords } from './keyword-causes.ts';
import { isTooDeeplyNested, TooDeeplyNested } from './nesting.ts';
import { shapeCauses } from './shape-causes.ts';
import { isPlainScalar, type JsonSchema } from './structural-schema.ts';
import { structureCauses } from './structure-causes.ts';

export interface SchemaPlace {
  /**
   * Path of the schema in its definition. Where all versions have the same schema, as a single version has, the real
   * server names it `spec.validation.openAPIV3Schema`, else `spec.versions[1].schema.openAPIV3Schema`.
   */
  readonly at: string;
  /** With a status subresource the status is validated by itself, so the root may not relate it to other fields. */
  readonly hasStatusSubresource?: boolean;
}

const onlyVersion: SchemaPlace = { at: 'spec.validation.openAPIV3Schema' };

/** An empty result means that the value is a valid `JsonSchema`. */
export function checkSchema(schema: Json, place: SchemaPlace = onlyVersion): readonly Cause[] {
  const { at } = place;
  if (isTooDeeplyNested(schema)) return [invalid(at, '', new TooDeeplyNested().message)];
  const wrongShapes = shapeCauses(schema, at);
  if (wrongShapes.length > 0 || !isJsonObject(schema)) return wrongShapes;
  return causesOf(schema, place);
}

function causesOf(schema: JsonSchema, place: SchemaPlace): readonly Cause[] {
  const { at } = place;
  const keywords = keywordCauses(schema, { at, isRoot: true, isInsideMeta: false });
  const isUnsupported = hasUnsupported(schema);
  const unstructured = isUnsupported
    ? []
    : [...structureCauses(schema, { at, level: 'root' }), ...completenessCauses(schema, at)];
  const isSound = unstructured.length === 0 && !isUnsupported;
  return [
    ...(place.hasStatusSubresource === true ? statusRootCauses(schema, at) : []),
    ...(schema.nullable === true ? [forbidden(`${at}.nullable`, 'nullable cannot be true at the root')] : []),
    ...unstructured,
    ...(isSound ? defaultCauses(schema, { at, isInsideMeta: false }) : []),
    ...keywords,
  ];
}

/** Values that the structural checks cannot read are reported by the keyword checks. */
function hasUnsupported(schema: JsonSchema): boolean {
  return (
    unsupportedKeywords(schema).length > 0 ||
    schema['x-kubernetes-preserve-unknown-fields'] === false ||
    subschemasOf(schema).some((one) => !isPlainScalar(one) && hasUnsupported(one))
  );
}

function subschemasOf(schema: JsonSchema): readonly JsonSchema[] {
  const { additionalProperties, items, not, allOf = [], anyOf = [], oneOf = [] } = schema;
  const single = [additionalProperties, items, not].filter((one) => typeof one === 'object');
  return [...single, ...allOf, ...anyOf, ...oneOf, ...Object.values(schema.properties ?? {})];
}

const allowedAtStatusRoot: ReadonlySet<string> = new Set([
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

function statusRootCauses(schema: JsonSchema, at: string): readonly Cause[] {
  if (schema.type !== undefined && schema.type !== 'object')
    return [
      invalid(`${at}.type`, schema.type, 'only "object" is allowed as the type at the root of the schema'),
    ];
  const stranger = Object.entries(schema).find(
    ([keyword, value]) => value !== false && !allowedAtStatusRoot.has(keyword),
  );
  if (stranger === undefined) return [];
  return [invalid(at, stranger[0], 'not allowed at the root if the status subresource is enabled')];
}
