/**
 * Applies the defaults of a schema to a value, on every write and every read from storage. A default applies only where
 * its parent exists, and gets the defaults inside it. A disallowed null counts as a missing field. The input is not
 * changed.
 */
import { isJsonList, isJsonObject, mapFields, mapItems, type Json } from '../json.ts';
import { refuseDeepNesting } from './nesting.ts';
import { schemaOfKey, type JsonSchema } from './structural-schema.ts';

/** Throws `TooDeeplyNested`. */
export function applyDefaults(schema: JsonSchema, value: Json): Json {
  refuseDeepNesting(value);
  return completed(schema, withoutStrayNulls(schema, value));
}

function hasDefault(schema: JsonSchema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

function isForbiddenNull(schema: JsonSchema, value: Json | undefined): boolean {
  return value === null && schema.nullable !== true;
}

const manyItems = 1000;
/**
 * Large lists with all defaults, by the schema of their items, because each write applies defaults to the stored object
 * again.
 */
const completeLists = new WeakMap<readonly Json[], JsonSchema>();

/** Only fields are dropped: a null in a list stays, and validation rejects it. */
function withoutStrayNulls(schema: JsonSchema | undefined, value: Json): Json {
  if (schema === undefined) return value;
  if (isJsonList(value))
    return completeLists.get(value) === schema
      ? value
      : mapItems(value, (item) => withoutStrayNulls(schema.items, item));
  if (!isJsonObject(value)) return value;
  return mapFields(value, (child, key) => {
    const inner = schemaOfKey(schema, key);
    const isStray = inner !== undefined && isForbiddenNull(inner, child) && !hasDefault(inner);
    return isStray ? undefined : withoutStrayNulls(inner, child);
  });
}

function completed(schema: JsonSchema | undefined, value: Json): Json {
  if (schema === undefined) return value;
  if (isJsonList(value)) return completedList(schema, value);
  if (!isJsonObject(value)) return value;
  const missing = Object.entries(schema.properties ?? {}).flatMap(([key, property]): [string, Json][] =>
    hasDefault(property) && !Object.hasOwn(value, key) ? [[key, property.default ?? null]] : [],
  );
  const whole = missing.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...missing]);
  return mapFields(whole, (child, key) => completedOrReplaced(schemaOfKey(schema, key), child));
}

function completedList(schema: JsonSchema, list: readonly Json[]): readonly Json[] {
  if (completeLists.get(list) === schema) return list;
  const complete = mapItems(list, (item) => completedOrReplaced(schema.items, item));
  if (complete.length >= manyItems) completeLists.set(complete, schema);
  return complete;
}

function completedOrReplaced(schema: JsonSchema | undefined, value: Json): Json {
  if (schema === undefined) return value;
  return completed(schema, isForbiddenNull(schema, value) ? (schema.default ?? null) : value);
}
