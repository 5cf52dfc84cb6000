/** Values that are none of those a schema allows. Only what clients decide is checked, not what is reported. */
import { isJsonList, isJsonObject, type Json } from '../json.ts';
import { schemaOfKey, type JsonSchema } from '../schema/structural-schema.ts';
import type { Cause } from '../status-error.ts';
import { unsupported } from './causes.ts';

const notChecked = new Set(['metadata', 'status']);

export function enumCauses(schema: JsonSchema, object: Json): readonly Cause[] {
  if (!isJsonObject(object)) return [];
  return Object.entries(object).flatMap(([key, child]) =>
    notChecked.has(key) ? [] : below(schemaOfKey(schema, key), child, key),
  );
}

function below(schema: JsonSchema | undefined, value: Json, path: string): readonly Cause[] {
  if (schema === undefined) return [];
  if (isJsonList(value))
    return value.flatMap((item, index) => below(schema.items, item, `${path}[${index}]`));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([key, child]) =>
      below(schemaOfKey(schema, key), child, `${path}.${key}`),
    );
  const { enum: allowed } = schema;
  if (allowed === undefined || value === '' || value === null || allowed.includes(value)) return [];
  return [unsupported(path, value, allowed.map(String))];
}
