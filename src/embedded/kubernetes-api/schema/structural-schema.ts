/**
 * The schema of one version of a CustomResourceDefinition, as far as the server reads it. A value has this type only
 * after `checkSchema` found no error; the other files rely on that.
 */
import type { Json } from '../json.ts';

export type { Json } from '../json.ts';

export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A rule in the Common Expression Language. This folder does not evaluate it. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The fields of every resource, independent of its schema. */
export const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Own properties only: names such as `constructor` are ordinary here. */
export function propertyOf(schema: JsonSchema, key: string): JsonSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

const scalars = new Set(['string', 'integer', 'number', 'boolean']);

/** Only a scalar type, without further keywords. */
export function isPlainScalar(schema: JsonSchema): boolean {
  const { type = '', description = '', ...rest } = schema;
  if (!scalars.has(type) || typeof description !== 'string') return false;
  for (const keyword in rest) if (Object.hasOwn(rest, keyword)) return false;
  return true;
}

/** The schema of all keys without their own schema. */
export function additionalOf(schema: JsonSchema): JsonSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

export function schemaOfKey(schema: JsonSchema, key: string): JsonSchema | undefined {
  return propertyOf(schema, key) ?? additionalOf(schema);
}
