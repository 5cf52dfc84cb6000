/** A text that is equal exactly for equal values, to find duplicates by hashing. */
import { isJsonObject, type Json } from '../json.ts';

export function distinctKey(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(distinctKey).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${distinctKey(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}
