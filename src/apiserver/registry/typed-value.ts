/** A value as a client with types of its own reads it: null is the empty value of whatever should stand there. */
import { isJsonObject, type Json } from '../json.ts';
import { additionalOf, propertyOf, type JsonSchema } from '../schema/structural-schema.ts';

export function withoutNulls(schema: JsonSchema | undefined, value: Json): Json {
  if (schema === undefined) return value;
  if (Array.isArray(value))
    return value.map((item) => withoutNulls(schema.items, item ?? emptyOf(schema.items)));
  if (!isJsonObject(value)) return value;
  const additional = additionalOf(schema);
  const fields = Object.entries(value).flatMap(([key, child]): [string, Json][] => {
    const inner = propertyOf(schema, key);
    if (inner !== undefined && isUnset(inner, child)) return [];
    if (child === null && additional !== undefined) return [[key, emptyOf(additional)]];
    return [[key, withoutNulls(inner ?? additional, child)]];
  });
  return Object.fromEntries(fields);
}

/** A list or a map with nothing in it is as good as none. */
function isUnset(schema: JsonSchema, value: Json): boolean {
  if (Array.isArray(value)) return schema.type === 'array' && value.length === 0;
  if (isJsonObject(value)) return additionalOf(schema) !== undefined && Object.keys(value).length === 0;
  return value === null;
}

function emptyOf(schema: JsonSchema | undefined): Json {
  if (schema?.type === 'string') return '';
  return schema?.type === 'object' ? {} : null;
}
