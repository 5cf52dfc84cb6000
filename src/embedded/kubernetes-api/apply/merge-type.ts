/**
 * How the values under a schema merge: which maps and lists have an owner per part, and which have one owner.
 * Unspecified parts (`x-kubernetes-preserve-unknown-fields`) merge map by map, with atomic lists.
 */
import type { Json } from '../json.ts';
import { additionalOf, type JsonSchema } from '../schema/structural-schema.ts';

/** A schema without a type allows several shapes; the value decides. */
export interface MergeType {
  readonly scalar?: 'string' | 'number' | 'boolean' | 'any';
  readonly list?: ListType;
  readonly map?: MapType;
}

export interface ListType {
  readonly kind: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  readonly item: MergeType;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** The type of all other keys; undefined where no other key is allowed. */
  readonly element: MergeType | undefined;
}

export interface Field {
  readonly type: MergeType;
  readonly default?: Json | undefined;
}

const noFields: ReadonlyMap<string, Field> = new Map();

const untyped: MergeType = {
  scalar: 'any',
  list: {
    kind: 'atomic',
    keys: [],
    get item() {
      return untyped;
    },
  },
  map: {
    atomic: true,
    fields: noFields,
    get element() {
      return untyped;
    },
  },
};

/** Without a schema the type follows the value. */
const deduced: MergeType = {
  scalar: 'any',
  list: { kind: 'atomic', keys: [], item: untyped },
  map: {
    atomic: false,
    fields: noFields,
    get element() {
      return deduced;
    },
  },
};

const text: MergeType = { scalar: 'string' };
const integer: MergeType = { scalar: 'number' };
const flag: MergeType = { scalar: 'boolean' };
const anyScalar: MergeType = { scalar: 'any' };
const textMap: MergeType = { map: { atomic: false, fields: noFields, element: text } };

const objectMeta: MergeType = {
  map: {
    atomic: false,
    element: undefined,
    fields: fieldsFrom({
      name: text,
      generateName: text,
      namespace: text,
      selfLink: text,
      uid: text,
      resourceVersion: text,
      generation: integer,
      creationTimestamp: anyScalar,
      deletionTimestamp: anyScalar,
      deletionGracePeriodSeconds: integer,
      labels: textMap,
      annotations: textMap,
      finalizers: { list: { kind: 'set', keys: [], item: text } },
      ownerReferences: {
        list: {
          kind: 'map',
          keys: ['uid'],
          item: {
            map: {
              atomic: true,
              element: undefined,
              fields: fieldsFrom({
                apiVersion: text,
                kind: text,
                name: text,
                uid: text,
                controller: flag,
                blockOwnerDeletion: flag,
              }),
            },
          },
        },
      },
      managedFields: { list: { kind: 'atomic', keys: [], item: untyped } },
    }),
  },
};

const known = new WeakMap<JsonSchema, MergeType>();

/** The type of whole objects, which always have kind, version and metadata. */
export function mergeTypeOf(schema: JsonSchema): MergeType {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const type = typeOf({ ...schema, 'x-kubernetes-embedded-resource': true }, false);
  known.set(schema, type);
  return type;
}

/** The type of a key of a map, whether or not the schema knows it. */
export function typeOfKey(map: MapType, key: string): MergeType {
  return map.fields.get(key)?.type ?? map.element ?? deduced;
}

const knownBelow = new WeakMap<JsonSchema, MergeType>();

/** Cached, because built-in kinds share many parts. */
function typeBelow(schema: JsonSchema, preserved: boolean): MergeType {
  const before = preserved ? undefined : knownBelow.get(schema);
  if (before !== undefined) return before;
  const type = typeOf(schema, preserved);
  if (!preserved) knownBelow.set(schema, type);
  return type;
}

/** `preserve-unknown-fields` applies to all levels below. */
function typeOf(schema: JsonSchema, preserved: boolean): MergeType {
  const preserves = preserved || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.type === undefined)
    return { scalar: 'any', list: listOf(schema, preserves), map: mapOf(schema, preserves) };
  if (schema.type === 'object') return { map: mapOf(schema, preserves) };
  if (schema.type === 'array') return { list: listOf(schema, preserves) };
  if (schema.type === 'string') return (schema.format ?? 'byte') === 'byte' ? text : anyScalar;
  return schema.type === 'boolean' ? flag : integer;
}

function mapOf(schema: JsonSchema, preserves: boolean): MapType {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]): [string, Field] => [
    name,
    { type: typeBelow(property, preserves), default: property.default },
  ]);
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const fields = new Map(properties);
  if (embedded) for (const [name, field] of resourceFields) fields.set(name, field);
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields,
    element: elementOf(schema, preserves, fields.size > 0),
  };
}

const resourceFields = fieldsFrom({ apiVersion: text, kind: text, metadata: objectMeta });

/** An object without a specification is free-form. */
function elementOf(schema: JsonSchema, preserves: boolean, hasFields: boolean): MergeType | undefined {
  const additional = additionalOf(schema);
  if (additional !== undefined) return typeOf(additional, preserves);
  if (schema.additionalProperties !== undefined) return schema.additionalProperties ? deduced : undefined;
  return preserves || !hasFields ? deduced : undefined;
}

function listOf(schema: JsonSchema, preserves: boolean): ListType {
  const kind = schema['x-kubernetes-list-type'];
  return {
    kind: kind === 'set' || kind === 'map' ? kind : 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
    item: schema.items === undefined ? untyped : typeBelow(schema.items, preserves),
  };
}

function fieldsFrom(types: Readonly<Record<string, MergeType>>): ReadonlyMap<string, Field> {
  return new Map(Object.entries(types).map(([name, type]) => [name, { type }]));
}
