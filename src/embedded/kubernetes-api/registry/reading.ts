/** Typed accessors for objects of unknown shape. */
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts';

/** The object at a key, or an empty object. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

export function hasObject(object: JsonObject, key: string): boolean {
  return isJsonObject(object[key]);
}

/** The objects in a list, or none without a list. */
export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}

export function textsAt(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return isJsonList(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A copy with changed objects in a list; the same object without the list. */
export function withEach(
  object: JsonObject,
  key: string,
  change: (item: JsonObject, index: number) => Json,
): JsonObject {
  const value = object[key];
  if (!isJsonList(value)) return object;
  return { ...object, [key]: value.map((item, index) => (isJsonObject(item) ? change(item, index) : item)) };
}

/** A copy with a changed object at a key; the same object without it. */
export function withPart(object: JsonObject, key: string, change: (part: JsonObject) => Json): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? { ...object, [key]: change(value) } : object;
}

/** Fills missing keys from `defaults`. */
export function filled(object: JsonObject, defaults: JsonObject): JsonObject {
  return { ...defaults, ...object };
}

/** A string, number or boolean as text; else an empty text. */
export function shown(value: Json | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
