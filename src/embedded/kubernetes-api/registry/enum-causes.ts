/** Checks enum values in specs. Reported values in status are not checked. */
import { fieldNames, isJsonList, isJsonObject, type Json } from '../json.ts';
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

const none: readonly Cause[] = [];

/** Fast path: most fields are scalars without an enum. */
function isUnlimited({ type, enum: allowed }: JsonSchema): boolean {
  return allowed === undefined && type !== 'object' && type !== 'array' && type !== undefined;
}

function below(schema: JsonSchema | undefined, value: Json, path: string): readonly Cause[] {
  if (schema === undefined) return [];
  if (isJsonList(value))
    return value.flatMap((item, index) => below(schema.items, item, `${path}[${index}]`));
  if (isJsonObject(value))
    return fieldNames(value).flatMap((key) => {
      const inner = schemaOfKey(schema, key);
      return inner === undefined || isUnlimited(inner)
        ? none
        : below(inner, value[key] ?? null, `${path}.${key}`);
    });
  const { enum: allowed } = schema;
  if (allowed === undefined || value === '' || value === null || allowed.includes(value)) return [];
  return [unsupported(path, value, allowed.map(String))];
}
