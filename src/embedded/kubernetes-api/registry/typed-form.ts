/**
 * The form in which a statically typed server returns an object: without unknown fields, with mandatory fields, and
 * without empty optional values.
 */
import {
  fieldNames,
  isJsonList,
  isJsonObject,
  mapFields,
  mapItems,
  type Json,
  type JsonObject,
} from '../json.ts';
import { refuseDeepNesting } from '../schema/nesting.ts';
import { additionalOf, propertyOf } from '../schema/structural-schema.ts';
import type { BuiltinSchema } from './builtin-schemas.ts';
import { typedScalar, WrongType } from './typed-scalar.ts';

export interface TypedForm {
  readonly value: JsonObject;
  /** Sorted paths of unknown fields, which are removed from `value`. */
  readonly unknown: readonly string[];
}

/** Does not change metadata. Throws `WrongType`, `TooDeeplyNested`. */
export function typedForm(schema: BuiltinSchema, object: JsonObject): TypedForm {
  refuseDeepNesting(object);
  const unknown: string[] = [];
  const value = formed({ schema: { ...schema, properties: beside(schema) }, path: '', unknown }, object);
  return { value: isJsonObject(value) ? value : {}, unknown: unknown.toSorted() };
}

/** Metadata has separate rules. */
function beside(schema: BuiltinSchema): Readonly<Record<string, BuiltinSchema>> {
  return { ...schema.properties, metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
}

interface Place {
  readonly schema: BuiltinSchema;
  readonly path: string;
  readonly unknown: string[];
}

function formed(place: Place, value: Json): Json {
  const { schema, path } = place;
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return value;
  try {
    if (schema.type === 'array') return formedList(place, value);
    if (schema.type === 'object') return formedObject(place, value);
    return typedScalar(schema, value);
  } catch (error) {
    if (!(error instanceof WrongType) || path === '' || error.message.startsWith('.')) throw error;
    throw new WrongType(`.${path}: ${error.message}`, { cause: error });
  }
}

function formedList({ schema, path, unknown }: Place, value: Json): Json {
  if (!isJsonList(value)) throw new WrongType('not a list');
  const items: BuiltinSchema = schema.items ?? {};
  return mapItems(value, (item, index) =>
    formed({ schema: items, path: `${path}[${index}]`, unknown }, item ?? items.default ?? null),
  );
}

function formedObject(place: Place, value: Json): Json {
  if (!isJsonObject(value)) throw new WrongType('not an object');
  const additional = additionalOf(place.schema);
  if (additional !== undefined) {
    return mapFields(value, (child, key) =>
      formed(below(place, key, additional), child ?? additional.default ?? null),
    );
  }
  const fields = Object.entries(value).flatMap(([key, child]): [string, Json][] => {
    const field = propertyOf(place.schema, key);
    if (field === undefined) place.unknown.push(pathOf(place, key));
    return field === undefined || child === null ? [] : entry(below(place, key, field), key, child);
  });
  return Object.fromEntries([...fields, ...missing(place, new Set(fields.map(([key]) => key)))]);
}

function entry(place: Place, key: string, child: Json): [string, Json][] {
  const { schema } = place;
  const value = formed(place, child);
  const says = schema['x-muster-keeps-zero'] === true || !isZero(schema, value);
  return says ? [[key, value]] : [];
}

/** An empty object with known fields is not a zero value. */
function isZero(schema: BuiltinSchema, value: Json): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return false;
  if (value === '' || value === 0 || value === false) return true;
  if (isJsonList(value)) return value.length === 0;
  return isJsonObject(value) && schema.additionalProperties !== undefined && fieldNames(value).length === 0;
}

/** Mandatory fields: with their default, or a required list as null. */
function missing(place: Place, present: ReadonlySet<string>): [string, Json][] {
  return alwaysShown(place.schema).flatMap(([key, field]): [string, Json][] => {
    if (present.has(key)) return [];
    const { default: fallback = null } = field;
    return [[key, fallback === null ? null : formed(below(place, key, field), fallback)]];
  });
}

const shownFields = new WeakMap<BuiltinSchema, readonly [string, BuiltinSchema][]>();

/** Cached, so that a list of 25,000 containers does not scan the fields 25,000 times. */
function alwaysShown(schema: BuiltinSchema): readonly [string, BuiltinSchema][] {
  const known = shownFields.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, required = [] } = schema;
  const shown = Object.entries(properties).filter(
    ([key, field]) => field.default !== undefined || (field.type === 'array' && required.includes(key)),
  );
  shownFields.set(schema, shown);
  return shown;
}

function below(place: Place, key: string, schema: BuiltinSchema): Place {
  return { schema, path: pathOf(place, key), unknown: place.unknown };
}

function pathOf({ path }: Place, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
