/** The metadata of embedded resources has the same types as top-level metadata. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { additionalOf, propertyOf, type JsonSchema } from '../schema/structural-schema.ts';
import { typedMetadata } from './object-metadata.ts';

/** Whether a schema has embedded resources. */
export function hasEmbedded(schema: JsonSchema): boolean {
  const below = [...Object.values(schema.properties ?? {}), schema.items, additionalOf(schema)];
  return below.some(
    (one) => one !== undefined && (one['x-kubernetes-embedded-resource'] === true || hasEmbedded(one)),
  );
}

interface Place {
  readonly schema: JsonSchema | undefined;
  readonly path: string;
  readonly unknown: string[];
}

/** The value with pruned metadata in every embedded resource; `unknown` collects the dropped paths. */
export function withEmbeddedMetadata(schema: JsonSchema, value: Json, unknown: string[]): Json {
  return cleaned({ schema, path: '', unknown }, value);
}

function cleaned(place: Place, value: Json): Json {
  const { schema, path } = place;
  if (schema === undefined) return value;
  if (Array.isArray(value))
    return value.map((item, index) =>
      cleaned({ ...place, schema: schema.items, path: `${path}[${index}]` }, item),
    );
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([key, child]): [string, Json] => {
    const inner = propertyOf(schema, key) ?? additionalOf(schema);
    return [key, cleaned({ ...place, schema: inner, path: path === '' ? key : `${path}.${key}` }, child)];
  });
  return path === '' || schema['x-kubernetes-embedded-resource'] !== true
    ? Object.fromEntries(fields)
    : withTypedMetadata(place, Object.fromEntries(fields));
}

function withTypedMetadata({ path, unknown }: Place, resource: JsonObject): JsonObject {
  const { metadata } = resource;
  if (!isJsonObject(metadata)) return resource;
  const typed = typedMetadata(metadata, `${path}.metadata`);
  unknown.push(...typed.unknown);
  return { ...resource, metadata: typed.metadata };
}
