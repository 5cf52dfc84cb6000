/** Read-only JSON values, compared by value. */
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

/** A reader of a frozen value never sees a later write through its reference. */
export function deepFreeze<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

const manyFields = 1000;
const namesOfLarge = new WeakMap<JsonObject, readonly string[]>();

/**
 * `Object.keys` of a frozen value. V8 sorts the keys of a large object at each call, which takes 20 ms for 100,000
 * keys, so the keys of large objects are cached.
 */
export function fieldNames(object: JsonObject): readonly string[] {
  const known = namesOfLarge.get(object);
  if (known !== undefined) return known;
  const names = Object.keys(object);
  if (names.length >= manyFields) namesOfLarge.set(object, names);
  return names;
}

/**
 * The object with changed values; `undefined` drops a key. Returns the same object without a change: a copy of 100,000
 * keys blocks the event loop for 30 ms.
 */
export function mapFields(
  object: JsonObject,
  change: (value: Json, key: string) => Json | undefined,
): JsonObject {
  const keys = fieldNames(object);
  const changed = keys.map((key) => change(object[key] ?? null, key));
  if (changed.every((value, index) => value === object[keys[index] ?? ''])) return object;
  return Object.fromEntries(
    changed.flatMap((value, index): [string, Json][] =>
      value === undefined ? [] : [[keys[index] ?? '', value]],
    ),
  );
}

/** The same for a list, without dropping items. */
export function mapItems(
  list: readonly Json[],
  change: (item: Json, index: number) => Json,
): readonly Json[] {
  const changed = list.map(change);
  return changed.every((item, index) => item === list[index]) ? list : changed;
}

/** A copy without the named keys. Keys such as `__proto__` stay plain keys. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** The same text for equal values, for fast comparison of many values. */
export function canonicalJson(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (isJsonList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`;
}
