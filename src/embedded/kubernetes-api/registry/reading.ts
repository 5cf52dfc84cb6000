/** Typed ways to read parts of an object that may have any shape. */
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts';

/** An empty one where there is none. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

export function hasObject(object: JsonObject, key: string): boolean {
  return isJsonObject(object[key]);
}

/** The objects in a list; none where there is no list. */
export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}

export function textsAt(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return isJsonList(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A copy in which a list has each of its objects changed; without the list it is the same object. */
export function withEach(
  object: JsonObject,
  key: string,
  change: (item: JsonObject, index: number) => Json,
): JsonObject {
  const value = object[key];
  if (!isJsonList(value)) return object;
  return { ...object, [key]: value.map((item, index) => (isJsonObject(item) ? change(item, index) : item)) };
}

/** A copy in which an object at a key is changed; without it nothing happens. */
export function withPart(object: JsonObject, key: string, change: (part: JsonObject) => Json): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? { ...object, [key]: change(value) } : object;
}

/** `defaults` for whatever is missing. */
export function filled(object: JsonObject, defaults: JsonObject): JsonObject {
  return { ...defaults, ...object };
}

/** A text, number or flag as text; anything else as none. */
export function shown(value: Json | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
