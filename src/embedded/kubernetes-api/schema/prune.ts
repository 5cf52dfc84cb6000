/**
 * Drops unknown fields. The input is not changed. A resource always keeps apiVersion, kind and metadata; the content of
 * metadata is not checked here.
 */
import { isJsonList, isJsonObject, mapFields, mapItems, type Json } from '../json.ts';
import { refuseDeepNesting } from './nesting.ts';
import { additionalOf, metaFields, propertyOf, type JsonSchema } from './structural-schema.ts';

export interface Pruned {
  readonly value: Json;
  /** The sorted dropped paths, such as `spec.foo[0].bar`. Map keys are written like fields. */
  readonly unknown: readonly string[];
}

/** Throws `TooDeeplyNested`. */
export function prune(schema: JsonSchema, value: Json): Pruned {
  refuseDeepNesting(value);
  const unknown: string[] = [];
  const pruned = prunedAt({ schema: asResource(schema), path: '', unknown }, value);
  return { value: pruned, unknown: unknown.toSorted() };
}

/** The same for a nested value, which has resource fields only if its schema says so. */
export function pruneNested(schema: JsonSchema, value: Json): Json {
  return prunedAt({ schema, path: '', unknown: [] }, value);
}

interface Place {
  readonly schema: JsonSchema | undefined;
  readonly path: string;
  readonly unknown: string[];
}

function asResource(schema: JsonSchema): JsonSchema {
  return { ...schema, 'x-kubernetes-embedded-resource': true };
}

function prunedAt(place: Place, value: Json): Json {
  if (isJsonList(value)) {
    const [schema, { unknown }] = [itemSchema(place.schema), place];
    return mapItems(value, (item, index) =>
      isLeaf(item) ? item : prunedAt({ schema, path: `${place.path}[${index}]`, unknown }, item),
    );
  }
  return isJsonObject(value) ? mapFields(value, (child, key) => prunedField(place, key, child)) : value;
}

function isLeaf(value: Json): boolean {
  return typeof value !== 'object' || value === null;
}

/** Items of a list with preserved unknown fields preserve them, too. */
function itemSchema(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (schema?.['x-kubernetes-preserve-unknown-fields'] !== true) return schema?.items;
  return { ...schema.items, 'x-kubernetes-preserve-unknown-fields': true };
}

function prunedField({ schema, path, unknown }: Place, key: string, child: Json): Json | undefined {
  const childPath = path === '' ? key : `${path}.${key}`;
  if (schema !== undefined) {
    if (schema['x-kubernetes-embedded-resource'] === true && metaFields.has(key)) return child;
    const property = propertyOf(schema, key);
    if (property !== undefined) return prunedAt({ schema: property, path: childPath, unknown }, child);
    // Without a value schema the keys of a map stay, and the content of the values is pruned.
    if (schema.additionalProperties !== undefined)
      return prunedAt({ schema: additionalOf(schema), path: childPath, unknown }, child);
    if (schema['x-kubernetes-preserve-unknown-fields'] === true) return child;
  }
  unknown.push(childPath);
  return undefined;
}
