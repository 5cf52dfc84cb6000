/**
 * Checks an object against the CEL rules of its schema, from the top down. Parts that did not change are left alone,
 * and rules about the old value are checked only where there is one.
 */
import { isJsonEqual, isJsonObject, type Json } from '../json.ts';
import { schemaOfKey, type JsonSchema, type ValidationRule } from '../schema/structural-schema.ts';
import type { Cause } from '../status-error.ts';
import { compileRule } from './cel-rule.ts';
import { celValue } from './cel-value.ts';

interface Place {
  readonly schema: JsonSchema;
  readonly value: Json;
  readonly old: Json | undefined;
  readonly path: string;
}

export function celCauses(schema: JsonSchema, value: Json, old: Json | undefined): readonly Cause[] {
  return at({ schema, value, old, path: '' });
}

function at(place: Place): readonly Cause[] {
  if (place.old !== undefined && isJsonEqual(place.value, place.old)) return [];
  const rules = place.schema['x-kubernetes-validations'] ?? [];
  return [...rules.flatMap((rule) => ruleCauses(place, rule)), ...below(place)];
}

function ruleCauses({ schema, value, old, path }: Place, rule: ValidationRule): readonly Cause[] {
  const { isTransition, broken } = compileRule(rule);
  if (isTransition && old === undefined) return [];
  const message = broken(celValue(schema, value), old === undefined ? undefined : celValue(schema, old));
  if (message === undefined) return [];
  const field = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '');
  return [{ field, reason: rule.reason ?? 'FieldValueInvalid', message: `Invalid value: ${message}` }];
}

function below({ schema, value, old, path }: Place): readonly Cause[] {
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined) return [];
    return value.flatMap((item: Json, index) =>
      at({ schema: items, value: item, old: counterpart(schema, item, old), path: `${path}[${index}]` }),
    );
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const inner = schemaOfKey(schema, key);
    const before = isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
    return inner === undefined
      ? []
      : at({ schema: inner, value: child, old: before, path: path === '' ? key : `${path}.${key}` });
  });
}

/** Only a list with keys says which of its old items a new one is. */
function counterpart(schema: JsonSchema, item: Json, old: Json | undefined): Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old) || !isJsonObject(item))
    return undefined;
  return old.find(
    (other: Json) => isJsonObject(other) && keys.every((key) => isJsonEqual(other[key], item[key])),
  );
}
