/** Finds duplicate items in lists of type `set`, and duplicate keys in lists of type `map`, by hashing. */
import { fieldNames, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { duplicate, invalid, type Cause } from './cause.ts';
import { distinctKey } from './distinct-key.ts';
import { additionalOf, propertyOf, type JsonSchema } from './structural-schema.ts';

/** Map keys are written `spec.map[key]` here, unlike in the errors of other keywords. */
export function listTypeCauses(schema: JsonSchema | undefined, value: Json, path = ''): readonly Cause[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) return [...ownCauses(schema, value, path), ...itemCauses(schema, value, path)];
  if (!isJsonObject(value)) return [];
  return fieldNames(value).flatMap((key) => {
    const child = value[key] ?? null;
    if (isLeaf(child)) return none;
    const property = propertyOf(schema, key);
    return property === undefined
      ? listTypeCauses(additionalOf(schema), child, `${path}[${key}]`)
      : listTypeCauses(property, child, path === '' ? key : `${path}.${key}`);
  });
}

const none: readonly Cause[] = [];

/** Only lists have such errors. */
function isLeaf(value: Json): boolean {
  return typeof value !== 'object' || value === null;
}

function itemCauses({ items }: JsonSchema, value: readonly Json[], path: string): readonly Cause[] {
  if (items === undefined) return [];
  return value.flatMap((item, index) =>
    isLeaf(item) ? none : listTypeCauses(items, item, `${path}[${index}]`),
  );
}

function ownCauses(schema: JsonSchema, value: readonly Json[], path: string): readonly Cause[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return repeated(value, path);
  if (listType !== 'map') return [];
  const stranger = value.findIndex((item) => item !== null && !isJsonObject(item));
  if (stranger < 0) {
    const [key = '', ...more] = schema['x-kubernetes-list-map-keys'] ?? [];
    if (more.length === 0 && areDistinctTexts(value.map((item) => textIn(item, key)))) return none;
    return repeated(
      value.map((item) => keysOf(schema, item)),
      path,
    );
  }
  const detail = 'must be an object for an array of list-type map';
  return [invalid(`${path}[${stranger}]`, value[stranger] ?? null, detail)];
}

function keysOf(schema: JsonSchema, item: Json): JsonObject {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return Object.fromEntries(
    keys.flatMap((key): [string, Json][] =>
      isJsonObject(item) && Object.hasOwn(item, key) ? [[key, item[key] ?? null]] : [],
    ),
  );
}

function textIn(item: Json, key: string): Json {
  return isJsonObject(item) && Object.hasOwn(item, key) ? (item[key] ?? null) : null;
}

/** Fast path without canonical texts. */
function areDistinctTexts(values: readonly Json[]): boolean {
  return values.every((value) => typeof value === 'string') && new Set(values).size === values.length;
}

/** One cause for each duplicate value, at its second position. */
function repeated(values: readonly Json[], path: string): readonly Cause[] {
  if (areDistinctTexts(values)) return none;
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const key = distinctKey(value);
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    return before === 1 ? [duplicate(`${path}[${index}]`, value)] : none;
  });
}
