/** Converts JSON to CEL values under a schema: integers become CEL ints, other values keep their type. */
import { isJsonList, type Json } from '../json.ts';
import { schemaOfKey, type JsonSchema } from '../schema/structural-schema.ts';

export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly CelValue[]
  | Map<string, CelValue>;

export function celValue(schema: JsonSchema | undefined, value: Json): CelValue {
  if (typeof value === 'number') return isIntegral(schema, value) ? BigInt(value) : value;
  if (isJsonList(value)) return value.map((item) => celValue(schema?.items, item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => {
    const below = schema === undefined ? undefined : schemaOfKey(schema, key);
    return [key, celValue(below, child)] as const;
  });
  return new Map(entries);
}

function isIntegral(schema: JsonSchema | undefined, value: number): boolean {
  return (
    Number.isSafeInteger(value) &&
    (schema?.type === 'integer' || schema?.['x-kubernetes-int-or-string'] === true)
  );
}
