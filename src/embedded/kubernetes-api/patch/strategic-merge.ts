/**
 * Strategic merge patch for built-in kinds. Lists with keys are merged item by item, under the directives `$patch`,
 * `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList`.
 */
import {
  canonicalJson,
  fieldNames,
  isJsonList,
  isJsonObject,
  mapFields,
  without,
  type Json,
  type JsonObject,
} from '../json.ts';
import { schemaOfKey, type JsonSchema } from '../schema/structural-schema.ts';
import { badRequest, StatusError } from '../status-error.ts';
import { KeyedItems } from './keyed-items.ts';

interface PatchSchema extends JsonSchema {
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

const order = '$setElementOrder/';
const removal = '$deleteFromPrimitiveList/';

/** `schema` defines the merged lists and their keys. */
export function strategicMerge(target: JsonObject, patch: Json, schema: JsonSchema): JsonObject {
  if (!isJsonObject(patch)) throw badRequest('a strategic merge patch is an object');
  return mergeObject(schema, target, patch);
}

type Of = PatchSchema | undefined;

function mergeObject(schema: Of, target: JsonObject, patch: JsonObject): JsonObject {
  const directive = patch['$patch'];
  if (fieldNames(target).length === 0 && !fieldNames(patch).some((key) => key.startsWith('$')))
    return mergeIntoNothing(schema, patch);
  const changes = without(patch, '$patch', '$retainKeys');
  if (directive === 'replace') return changes;
  if (directive === 'delete') return {};
  if (directive !== undefined)
    throw new StatusError('Unknown', `unknown $patch directive ${JSON.stringify(directive)}`);
  const merged = new Map<string, Json>(Object.entries(target));
  for (const [key, value] of Object.entries(changes)) {
    if (key.startsWith('$')) continue;
    if (value === null) merged.delete(key);
    else merged.set(key, mergeField(fieldOf(schema, key), merged.get(key), value));
  }
  for (const [key, value] of Object.entries(changes)) direct(schema, merged, [key, value]);
  return retained(merged, patch['$retainKeys']);
}

function retained(merged: ReadonlyMap<string, Json>, keys: Json | undefined): JsonObject {
  if (!isJsonList(keys)) return Object.fromEntries(merged);
  const kept = new Set(keys);
  return Object.fromEntries([...merged].filter(([key]) => kept.has(key)));
}

function mergeIntoNothing(schema: Of, patch: JsonObject): JsonObject {
  return mapFields(patch, (value, key) =>
    value === null ? undefined : mergeField(fieldOf(schema, key), undefined, value),
  );
}

function fieldOf(schema: Of, key: string): Of {
  return schema === undefined ? undefined : schemaOfKey(schema, key);
}

function isMerged(schema: Of): boolean {
  return schema?.['x-kubernetes-patch-strategy']?.split(',').includes('merge') === true;
}

function mergeField(schema: Of, before: Json | undefined, value: Json): Json {
  if (isJsonObject(value)) return mergeObject(schema, isJsonObject(before) ? before : {}, value);
  if (!isJsonList(value) || schema === undefined || !isMerged(schema)) return value;
  if (schema['x-kubernetes-patch-merge-key'] !== undefined) return mergeKeyed(schema, before, value);
  return before === undefined
    ? value
    : inPatchOrder(isJsonList(before) ? before : [], [...new Set(value)], canonicalJson);
}

function mergeKeyed(schema: PatchSchema, before: Json | undefined, value: readonly Json[]): Json {
  const changes = value.filter(isJsonObject);
  if (changes.length < value.length)
    throw new StatusError('Unknown', 'an item of a list in the patch has no key');
  // A new list is not merged, not even with itself.
  if (before === undefined) return changes.filter((item) => item['$patch'] === undefined);
  return mergeItems(schema, isJsonList(before) ? before.filter(isJsonObject) : [], changes);
}

function mergeItems(list: PatchSchema, items: readonly JsonObject[], changes: readonly JsonObject[]): Json {
  const mergeKey = list['x-kubernetes-patch-merge-key'] ?? '';
  if (changes.some((change) => change['$patch'] === 'replace')) {
    return changes.filter((change) => change['$patch'] === undefined);
  }
  const keyOf = (item: JsonObject): string => canonicalJson(item[mergeKey]);
  const merged = new KeyedItems(items, keyOf);
  for (const change of changes) {
    if (change[mergeKey] === undefined)
      throw badRequest(`an item of a list in the patch lacks its key ${mergeKey}`);
    const key = keyOf(change);
    if (change['$patch'] === 'delete') merged.remove(key);
    else merged.put(key, mergeObject(list.items, merged.first(key) ?? {}, change));
  }
  const named = changes.flatMap((change) => merged.all(keyOf(change)));
  const kept = items.filter((item) => merged.first(keyOf(item)) !== undefined);
  return inPatchOrder(kept, named, keyOf);
}

/** Items of the patch take its order; other items stay before their earlier successors. */
function inPatchOrder<T extends Json>(
  items: readonly T[],
  named: readonly T[],
  keyOf: (item: T) => string,
): readonly T[] {
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    if (!places.has(key)) places.set(key, index);
  }
  const namedKeys = new Set(named.map(keyOf));
  const others = items.filter((item) => !namedKeys.has(keyOf(item)));
  const placeOf = (item: T): number => places.get(keyOf(item)) ?? -1;
  const result: T[] = [];
  let next = 0;
  for (const one of named) {
    const place = placeOf(one);
    for (let other = others[next]; other !== undefined && placeOf(other) < place; other = others[next]) {
      result.push(other);
      next += 1;
    }
    result.push(one);
  }
  return [...result, ...others.slice(next)];
}

function direct(schema: Of, merged: Map<string, Json>, [key, value]: readonly [string, Json]): void {
  if (!isJsonList(value)) return;
  if (key.startsWith(removal)) {
    const name = key.slice(removal.length);
    const items = merged.get(name);
    const removed = new Set(value);
    if (isJsonList(items))
      merged.set(
        name,
        items.filter((item) => !removed.has(item)),
      );
  }
  if (key.startsWith(order)) {
    const name = key.slice(order.length);
    const items = merged.get(name);
    if (isJsonList(items))
      merged.set(name, ordered(items, value, fieldOf(schema, name)?.['x-kubernetes-patch-merge-key']));
  }
}

/** Named items take the given order; other items stay before their earlier successors. */
function ordered(items: readonly Json[], wanted: readonly Json[], mergeKey: string | undefined): Json {
  const keyOf = (item: Json): string =>
    canonicalJson(mergeKey === undefined || !isJsonObject(item) ? item : item[mergeKey]);
  const positions = new Map<string, number>();
  for (const [index, item] of wanted.entries()) {
    const key = keyOf(item);
    if (!positions.has(key)) positions.set(key, index);
  }
  const position = (item: Json): number => positions.get(keyOf(item)) ?? -1;
  const named = items.filter((item) => position(item) !== -1).toSorted((a, b) => position(a) - position(b));
  const unnamed = items.filter((item) => position(item) === -1);
  return [...unnamed, ...named];
}
