/**
 * A value with its counterpart before an update. Fields correlate by name, items of a list of type `map` by their keys,
 * items of other lists not at all. Errors in unchanged values are tolerated.
 */
import { isJsonEqual, isJsonObject, type Json } from '../json.ts';
import { schemaOfKey, type JsonSchema } from './structural-schema.ts';

export class Correlated {
  readonly #schema: JsonSchema;
  readonly #value: Json;
  readonly #old: Json;
  #unchanged: boolean | undefined;
  #oldItems: ReadonlyMap<string, Json> | undefined;
  readonly #children = new Map<string | number, Correlated | undefined>();

  constructor(schema: JsonSchema, value: Json, old: Json) {
    this.#schema = schema;
    this.#value = value;
    this.#old = old;
  }

  atKey(key: string): Correlated | undefined {
    return this.#child(key, () => {
      const [value, old] = [fieldOf(this.#value, key), fieldOf(this.#old, key)];
      const schema = schemaOfKey(this.#schema, key);
      if (value === undefined || old === undefined || schema === undefined) return undefined;
      return new Correlated(schema, value, old);
    });
  }

  atIndex(index: number): Correlated | undefined {
    return this.#child(index, () => {
      const item = Array.isArray(this.#value) ? this.#value[index] : undefined;
      const key = keyOf(this.#schema, item);
      const old = key === undefined ? undefined : this.#oldItemsByKey().get(key);
      const { items } = this.#schema;
      return item === undefined || old === undefined || items === undefined
        ? undefined
        : new Correlated(items, item, old);
    });
  }

  /** Ignores the order of a list of type `map`; an unknown field counts as a change. */
  isUnchanged(): boolean {
    this.#unchanged ??= this.#compare();
    return this.#unchanged;
  }

  #child(key: string | number, make: () => Correlated | undefined): Correlated | undefined {
    if (!this.#children.has(key)) this.#children.set(key, make());
    return this.#children.get(key);
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (!isMapList(this.#schema)) return isJsonEqual(value, old);
      return value.every((_item, index) => this.atIndex(index)?.isUnchanged() === true);
    }
    if (isJsonObject(value) && isJsonObject(old)) {
      const keys = Object.keys(value);
      return (
        keys.length === Object.keys(old).length &&
        keys.every((key) => this.atKey(key)?.isUnchanged() === true)
      );
    }
    return isJsonEqual(value, old);
  }

  #oldItemsByKey(): ReadonlyMap<string, Json> {
    this.#oldItems ??= firstByKey(this.#schema, Array.isArray(this.#old) ? this.#old : []);
    return this.#oldItems;
  }
}

function isMapList(schema: JsonSchema): boolean {
  return schema['x-kubernetes-list-type'] === 'map';
}

function fieldOf(value: Json, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function firstByKey(schema: JsonSchema, items: readonly Json[]): ReadonlyMap<string, Json> {
  const byKey = new Map<string, Json>();
  for (const item of items) {
    const key = keyOf(schema, item);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

/** Undefined for an item without correlation: not in a list of type `map`, or without a scalar value for each key. */
function keyOf(schema: JsonSchema, item: Json | undefined): string | undefined {
  if (!isMapList(schema) || !isJsonObject(item)) return undefined;
  const parts = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => fieldOf(item, key));
  return parts.every(isPlain) ? JSON.stringify(parts) : undefined;
}

function isPlain(part: Json | undefined): boolean {
  return part !== undefined && typeof part !== 'object';
}
