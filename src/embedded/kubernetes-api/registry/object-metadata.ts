/** Metadata in its typed form: wrong types are rejected, unknown fields dropped, empty values unset. */
import { fieldNames, isJsonList, isJsonObject, mapFields, type Json, type JsonObject } from '../json.ts';
import { badRequest } from '../status-error.ts';

const texts = ['name', 'namespace', 'generateName', 'uid', 'resourceVersion', 'selfLink'];
const counts = ['generation', 'deletionGracePeriodSeconds'];
const times = ['creationTimestamp', 'deletionTimestamp'];
const textMaps = ['labels', 'annotations'];
const lists = ['ownerReferences', 'finalizers', 'managedFields'];
const known = new Set([...texts, ...counts, ...times, ...textMaps, ...lists]);
const ownerTexts = ['apiVersion', 'kind', 'name', 'uid'];
const ownerFlags = ['controller', 'blockOwnerDeletion'];

export interface TypedMetadata {
  readonly metadata: JsonObject;
  /** The dropped paths, below `at`. */
  readonly unknown: readonly string[];
}

export function typedMetadata(metadata: JsonObject, at = 'metadata'): TypedMetadata {
  const names = fieldNames(metadata);
  const unknown = names.filter((key) => !known.has(key));
  const sent = names
    .filter((key) => known.has(key))
    .map((key): [string, Json] => [key, metadata[key] ?? null]);
  refuseWrongTypes(sent, at);
  const kept = sent.filter(([key, value]) => !isEmpty(value) && !isUnset(key, value));
  const { ownerReferences } = metadata;
  const owners = isJsonList(ownerReferences) ? ownerReferences.filter(isJsonObject) : [];
  const strangers = owners.flatMap((owner, index) =>
    Object.keys(owner)
      .filter((key) => !ownerTexts.includes(key) && !ownerFlags.includes(key))
      .map((key) => `${at}.ownerReferences[${index}].${key}`),
  );
  return {
    metadata: {
      ...Object.fromEntries(
        kept.map(([key, value]) => [key, textMaps.includes(key) ? texted(value) : value]),
      ),
      ...(owners.length > 0 && { ownerReferences: owners.map(typedOwner) }),
    },
    unknown: [...unknown.map((key) => `${at}.${key}`), ...strangers],
  };
}

function refuseWrongTypes(fields: readonly (readonly [string, Json])[], at: string): void {
  const isWrong = ([key, value]: readonly [string, Json]): boolean => {
    if (value === null) return false;
    if (texts.includes(key)) return typeof value !== 'string';
    if (counts.includes(key)) return !Number.isInteger(value);
    if (times.includes(key)) return typeof value !== 'string' || !isTime(value);
    if (textMaps.includes(key)) return !isTextMap(value);
    return lists.includes(key) && !(isJsonList(value) && value.every((item) => isItem(key, item)));
  };
  const wrong = fields.find(isWrong);
  if (wrong !== undefined)
    throw badRequest(`json: cannot unmarshal ${at}.${wrong[0]}: it has the wrong type`);
}

function isTextMap(value: Json): boolean {
  return (
    isJsonObject(value) &&
    fieldNames(value).every((key) => value[key] === null || typeof value[key] === 'string')
  );
}

function isItem(key: string, item: Json): boolean {
  if (item === null) return true;
  return key === 'finalizers' ? typeof item === 'string' : isJsonObject(item) && hasOwnerTypes(key, item);
}

function hasOwnerTypes(key: string, item: JsonObject): boolean {
  if (key !== 'ownerReferences') return true;
  const sound = (names: readonly string[], type: string): boolean =>
    names.every((name) => (item[name] ?? null) === null || typeof item[name] === type);
  return sound(ownerTexts, 'string') && sound(ownerFlags, 'boolean');
}

function isTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Missing owner fields are empty strings or unset flags. */
function typedOwner(owner: JsonObject): JsonObject {
  const said = ownerTexts.map((key) => [key, owner[key] ?? ''] as const);
  const flags = ownerFlags
    .filter((key) => (owner[key] ?? null) !== null)
    .map((key) => [key, owner[key] ?? false]);
  return Object.fromEntries([...said, ...flags]);
}

function texted(value: Json): Json {
  return isJsonObject(value) ? mapFields(value, (text) => text ?? '') : value;
}

function isUnset(key: string, value: Json): boolean {
  return (value === '' && texts.includes(key)) || (value === 0 && key === 'generation');
}

function isEmpty(value: Json): boolean {
  if (isJsonList(value)) return value.length === 0;
  return value === null || (typeof value === 'object' && fieldNames(value).length === 0);
}
