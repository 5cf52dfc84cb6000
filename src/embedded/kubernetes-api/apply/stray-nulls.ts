/** The paths of nulls that a schema neither allows nor replaces by a default, such as `spec.code`. */
import { fieldNames, isJsonObject, type Json } from '../json.ts';
import { schemaOfKey, type JsonSchema } from '../schema/structural-schema.ts';

const none: readonly string[] = [];

export function strayNulls(schema: JsonSchema | undefined, value: Json, path = ''): readonly string[] {
  if (schema === undefined) return [];
  if (value === null) return isAllowed(schema) ? [] : [path];
  if (Array.isArray(value))
    return value.flatMap((item, index) => strayNulls(schema.items, item, `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  return fieldNames(value).flatMap((key) =>
    typeof value[key] === 'string'
      ? none
      : strayNulls(schemaOfKey(schema, key), value[key] ?? null, path === '' ? key : `${path}.${key}`),
  );
}

function isAllowed(schema: JsonSchema): boolean {
  const { nullable, type, default: fallback } = schema;
  const isTyped = type !== undefined || schema['x-kubernetes-int-or-string'] === true;
  return nullable === true || !isTyped || (fallback ?? null) !== null;
}
