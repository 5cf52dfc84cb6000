/**
 * Strategic merge patch, for the built-in kinds: a merge patch that knows which lists have keys. Items of such a list
 * are merged one by one; `$patch`, `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList` direct it.
 */
import { isJsonEqual, isJsonList, isJsonObject, without, type Json, type JsonObject } from '../json.ts';
import { badRequest, StatusError } from '../status-error.ts';

/** The lists with keys in the kinds that are served, by the name of their field. */
const mergeKeys: ReadonlyMap<string, string> = new Map([
  ['ownerReferences', 'uid'],
  ['conditions', 'type'],
  ['addresses', 'type'],
  ['taints', 'key'],
  ['containers', 'name'],
  ['initContainers', 'name'],
  ['ephemeralContainers', 'name'],
  ['volumes', 'name'],
  ['env', 'name'],
  ['ports', 'containerPort'],
  ['volumeMounts', 'mountPath'],
  ['volumeDevices', 'devicePath'],
  ['imagePullSecrets', 'name'],
  ['secrets', 'name'],
  ['hostAliases', 'ip'],
  ['podIPs', 'ip'],
]);
/** Lists of plain values that are joined instead of replaced. */
const joinedLists = new Set(['finalizers']);

const order = '$setElementOrder/';
const removal = '$deleteFromPrimitiveList/';

export function strategicMerge(target: JsonObject, patch: Json): JsonObject {
  if (!isJsonObject(patch)) throw badRequest('a strategic merge patch is an object');
  return mergeObject(target, patch);
}

function mergeObject(target: JsonObject, patch: JsonObject): JsonObject {
  const directive = patch['$patch'];
  const changes = without(patch, '$patch', '$retainKeys');
  if (directive === 'replace') return changes;
  if (directive === 'delete') return {};
  if (directive !== undefined)
    throw new StatusError('Unknown', `unknown $patch directive ${JSON.stringify(directive)}`);
  const merged = new Map<string, Json>(Object.entries(target));
  for (const [key, value] of Object.entries(changes)) {
    if (key.startsWith('$')) continue;
    if (value === null) merged.delete(key);
    else merged.set(key, mergeField(key, merged.get(key), value));
  }
  for (const [key, value] of Object.entries(changes)) direct(merged, key, value);
  const kept = patch['$retainKeys'];
  return Object.fromEntries(isJsonList(kept) ? [...merged].filter(([key]) => kept.includes(key)) : merged);
}

function mergeField(key: string, before: Json | undefined, value: Json): Json {
  if (isJsonObject(value)) return mergeObject(isJsonObject(before) ? before : {}, value);
  if (!isJsonList(value)) return value;
  const mergeKey = mergeKeys.get(key);
  if (mergeKey !== undefined) return mergeKeyed(before, value, { key, mergeKey });
  const items = isJsonList(before) ? before : [];
  return joinedLists.has(key) ? inPatchOrder(items, [...new Set(value)], isJsonEqual) : value;
}

function mergeKeyed(
  before: Json | undefined,
  value: readonly Json[],
  { key, mergeKey }: { readonly key: string; readonly mergeKey: string },
): Json {
  const changes = value.filter(isJsonObject);
  if (changes.length < value.length)
    throw new StatusError('Unknown', `the items of ${key} have no ${mergeKey}`);
  // A list that was not there has nothing to be merged with, not even with itself.
  if (before === undefined) return changes.filter((item) => item['$patch'] === undefined);
  return mergeItems(isJsonList(before) ? before.filter(isJsonObject) : [], changes, mergeKey);
}

function mergeItems(items: readonly JsonObject[], changes: readonly JsonObject[], mergeKey: string): Json {
  if (changes.some((change) => change['$patch'] === 'replace')) {
    return changes.filter((change) => change['$patch'] === undefined);
  }
  const merged = [...items];
  for (const change of changes) {
    const wanted = change[mergeKey];
    if (wanted === undefined) throw badRequest(`an item of a list in the patch lacks its key ${mergeKey}`);
    const at = merged.findIndex((item) => isJsonEqual(item[mergeKey], wanted));
    if (change['$patch'] === 'delete') merged.splice(at === -1 ? merged.length : at, 1);
    else if (at === -1) merged.push(mergeObject({}, change));
    else merged[at] = mergeObject(merged[at] ?? {}, change);
  }
  const named = changes.flatMap((change) =>
    merged.filter((item) => isJsonEqual(item[mergeKey], change[mergeKey])),
  );
  const isSame = (a: JsonObject, b: JsonObject): boolean => isJsonEqual(a[mergeKey], b[mergeKey]);
  const kept = items.filter((item) => merged.some((one) => isSame(one, item)));
  return inPatchOrder(kept, named, isSame);
}

/** What the patch names comes in its order; the rest stays in front of what followed it before. */
function inPatchOrder<T extends Json>(
  items: readonly T[],
  named: readonly T[],
  isSame: (a: T, b: T) => boolean,
): readonly T[] {
  const placeOf = (wanted: T): number => items.findIndex((item) => isSame(item, wanted));
  const others = items.filter((item) => !named.some((one) => isSame(one, item)));
  const result: T[] = [];
  for (const one of named) {
    while (others[0] !== undefined && placeOf(one) !== -1 && placeOf(others[0]) < placeOf(one))
      result.push(...others.splice(0, 1));
    result.push(one);
  }
  return [...result, ...others];
}

function direct(merged: Map<string, Json>, key: string, value: Json): void {
  if (!isJsonList(value)) return;
  if (key.startsWith(removal)) {
    const name = key.slice(removal.length);
    const items = merged.get(name);
    if (isJsonList(items))
      merged.set(
        name,
        items.filter((item) => !value.includes(item)),
      );
  }
  if (key.startsWith(order)) {
    const name = key.slice(order.length);
    const items = merged.get(name);
    if (isJsonList(items)) merged.set(name, ordered(items, value, mergeKeys.get(name)));
  }
}

/** What the order names comes in its order; what it does not name stays in front of what followed it. */
function ordered(items: readonly Json[], wanted: readonly Json[], mergeKey: string | undefined): Json {
  const keyOf = (item: Json): Json | undefined =>
    mergeKey === undefined || !isJsonObject(item) ? item : item[mergeKey];
  const position = (item: Json): number =>
    wanted.findIndex((other) => isJsonEqual(keyOf(other), keyOf(item)));
  const named = items.filter((item) => position(item) !== -1).toSorted((a, b) => position(a) - position(b));
  const unnamed = items.filter((item) => position(item) === -1);
  return [...unnamed, ...named];
}
