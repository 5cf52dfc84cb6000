/**
 * Checks an object against the CEL rules of its schema, from the top down. For unchanged parts only transition rules
 * run, which need an old value.
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
  /** True for a part of an unchanged whole. */
  readonly isSame?: boolean;
}

export function celCauses(schema: JsonSchema, value: Json, old: Json | undefined): readonly Cause[] {
  return at({ schema, value, old, path: '' });
}

function at(place: Place): readonly Cause[] {
  if (!hasRules(place.schema)) return [];
  const isSame = place.isSame ?? (place.old !== undefined && isJsonEqual(place.value, place.old));
  const rules = place.schema['x-kubernetes-validations'] ?? [];
  const asked = isSame ? rules.filter((rule) => compileRule(rule).isTransition) : rules;
  return [...asked.flatMap((rule) => ruleCauses(place, rule)), ...below(place, isSame ? { isSame } : {})];
}

const withRules = new WeakMap<JsonSchema, boolean>();

/** Skips parts without rules. */
function hasRules(schema: JsonSchema): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const { additionalProperties, items, properties = {} } = schema;
  const inner = [additionalProperties, items, ...Object.values(properties)].filter(isSchema);
  const found = (schema['x-kubernetes-validations'] ?? []).length > 0 || inner.some(hasRules);
  withRules.set(schema, found);
  return found;
}

function isSchema(value: JsonSchema | boolean | undefined): value is JsonSchema {
  return typeof value === 'object';
}

function ruleCauses({ schema, value, old, path }: Place, rule: ValidationRule): readonly Cause[] {
  const { isTransition, broken } = compileRule(rule);
  if (isTransition && old === undefined) return [];
  const message = broken(celValue(schema, value), old === undefined ? undefined : celValue(schema, old));
  if (message === undefined) return [];
  const field = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '');
  return [{ field, reason: rule.reason ?? 'FieldValueInvalid', message: `Invalid value: ${message}` }];
}

function below({ schema, value, old, path }: Place, more: Pick<Place, 'isSame'>): readonly Cause[] {
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined) return [];
    const before = counterparts(schema, old);
    return value.flatMap((item: Json, index) =>
      at({ schema: items, value: item, old: before(item), path: `${path}[${index}]`, ...more }),
    );
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const inner = schemaOfKey(schema, key);
    const before = isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
    return inner === undefined
      ? []
      : at({ schema: inner, value: child, old: before, path: path === '' ? key : `${path}.${key}`, ...more });
  });
}

/** Only a list with keys relates new items to old ones. */
function counterparts(schema: JsonSchema, old: Json | undefined): (item: Json) => Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return () => undefined;
  const keyOf = (item: Json): string =>
    JSON.stringify(isJsonObject(item) ? keys.map((key) => item[key] ?? null) : null);
  const known = new Map(old.map((item: Json) => [keyOf(item), item]));
  return (item) => (isJsonObject(item) ? known.get(keyOf(item)) : undefined);
}
