/** JSON as the server holds it: read-only, and compared by value. */
import { isDeepStrictEqual } from 'node:util';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isJsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  return isDeepStrictEqual(a, b);
}

/** After this a reader that keeps a reference can never see a later write through it. */
export function deepFreeze<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

/** A copy without the named keys. Copies keep a key such as `__proto__` as the plain key that it is in JSON. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** The same text for values that are equal, so that many of them can be compared at once. */
export function canonicalJson(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (isJsonList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`;
}
