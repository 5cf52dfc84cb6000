/**
 * Converts the OpenAPI documents of a real server to the compact schemas of the built-in kinds of the embedded server:
 * no descriptions, only the used fields, and every definition once. The output is deterministic.
 */
import { isJsonObject, type Json, type JsonObject } from '../../src/embedded/kubernetes-api/json.ts';
import { pointerFields, shownNulls } from './unset-fields.ts';

export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Relative to the root of the project. */
export const builtinSchemasFile = 'src/embedded/kubernetes-api/registry/generated/builtin-schemas.json';

const refPrefix = '#/components/schemas/';
const kept = [
  'type',
  'format',
  'default',
  'enum',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
];

/** Types with their own JSON form are inlined. */
const forms: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['meta.v1.Time', { type: 'string', format: 'date-time' }],
  ['meta.v1.MicroTime', { type: 'string', format: 'micro-time' }],
  ['resource.Quantity', { type: 'string', format: 'quantity' }],
  ['intstr.IntOrString', { 'x-kubernetes-int-or-string': true }],
  ['meta.v1.FieldsV1', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
  ['runtime.RawExtension', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
]);

/** The path of the document that describes a group and version. */
export function documentPath({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return `/openapi/v3/${group === '' ? 'api' : `apis/${group}`}/${version}`;
}

/** The text of the file, one definition per line. `documents` has a document for every path of `documentPath`. */
export function builtinSchemasText(
  kinds: readonly Kind[],
  documents: ReadonlyMap<string, JsonObject>,
): string {
  const reader = new Reader();
  const named = kinds.map((kind): [string, string] => {
    const schemas = schemasIn(documents.get(documentPath(kind)));
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    return [`${apiVersion} ${kind.kind}`, reader.read(definitionOf(kind, schemas), schemas)];
  });
  const lines = (entries: readonly (readonly [string, unknown])[]): string =>
    entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
      .join(',\n');
  return `{"kinds":{\n${lines(named)}\n},"definitions":{\n${lines([...reader.definitions])}\n}}\n`;
}

function schemasIn(document: JsonObject | undefined): JsonObject {
  return objectAt(objectAt(document ?? {}, 'components'), 'schemas');
}

function definitionOf({ group, version, kind }: Kind, schemas: JsonObject): string {
  const wanted = (one: Json): boolean =>
    isJsonObject(one) && one['group'] === group && one['version'] === version && one['kind'] === kind;
  const found = Object.entries(schemas).find(([, schema]) => {
    const kinds = isJsonObject(schema) ? schema['x-kubernetes-group-version-kind'] : [];
    return Array.isArray(kinds) && kinds.length === 1 && kinds.some(wanted);
  });
  if (found === undefined) throw new Error(`the server does not describe ${group}/${version} ${kind}`);
  return found[0];
}

class Reader {
  readonly definitions = new Map<string, JsonObject>();

  /** Adds a definition and its references; returns the short name. */
  read(name: string, schemas: JsonObject): string {
    const short = shortName(name);
    if (this.definitions.has(short)) return short;
    this.definitions.set(short, {});
    this.definitions.set(short, this.#compact(objectAt(schemas, name), schemas, marksOf(short)));
    return short;
  }

  #compact(schema: JsonObject, schemas: JsonObject, marks: Marks = new Map()): JsonObject {
    const form = this.#referred(schema, schemas);
    const own = Object.fromEntries(
      kept.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])),
    );
    const { properties, items, additionalProperties } = schema;
    const below = (value: Json | undefined): JsonObject =>
      this.#compact(isJsonObject(value) ? value : {}, schemas);
    const fields = Object.entries(isJsonObject(properties) ? properties : {})
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, { ...below(value), ...marks.get(name) }]);
    return {
      ...form,
      ...own,
      ...(properties !== undefined && { properties: Object.fromEntries(fields) }),
      ...(items !== undefined && { items: below(items) }),
      ...(additionalProperties !== undefined && { additionalProperties: below(additionalProperties) }),
    };
  }

  /** A reference is direct, or the only entry of an `allOf` next to the additions of the field. */
  #referred({ $ref, allOf }: JsonObject, schemas: JsonObject): JsonObject {
    const [first] = Array.isArray(allOf) ? allOf : [];
    const target = $ref ?? (isJsonObject(first) ? first['$ref'] : undefined);
    if (typeof target !== 'string') return {};
    const name = target.slice(refPrefix.length);
    return forms.get(shortName(name)) ?? { $ref: this.read(name, schemas) };
  }
}

type Marks = ReadonlyMap<string, JsonObject>;

/** Facts about fields that OpenAPI does not have. */
function marksOf(definition: string): Marks {
  return new Map<string, JsonObject>([
    ...(pointerFields[definition] ?? []).map((name) => [name, { 'x-muster-keeps-zero': true }] as const),
    ...(shownNulls[definition] ?? []).map((name) => [name, { default: null }] as const),
  ]);
}

/** `core.v1.PodSpec` for `io.k8s.api.core.v1.PodSpec`. */
function shortName(name: string): string {
  return name
    .replace('io.k8s.apimachinery.pkg.apis.', '')
    .replace(/^io\.k8s\.apimachinery\.pkg\.(?:api\.|util\.)?/, '')
    .replace('io.k8s.api.', '');
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}
