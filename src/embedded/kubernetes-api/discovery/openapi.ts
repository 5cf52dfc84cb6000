/** OpenAPI v3, as far as clients need it: which writes take `fieldValidation`, and the schema of each kind. */
import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { withDescriptions } from './descriptions.ts';

const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
  name,
  in: 'query',
  schema: { type: name === 'force' ? 'boolean' : 'string', uniqueItems: true },
}));

/** The hash is part of the URL, so a client's cache is valid until the document changes. */
export function openApiIndex(resources: readonly Resource[]): JsonObject {
  const roots = [...new Set(resources.map(rootOf))].toSorted();
  const entries = roots.map((root): [string, Json] => {
    const hash = createHash('sha256')
      .update(JSON.stringify(openApiDocument(resources, root)))
      .digest('hex')
      .toUpperCase();
    return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(entries) };
}

/** `root` is the path of a group and version without its leading slash; undefined for an unserved one. */
export function openApiDocument(resources: readonly Resource[], root: string): JsonObject | undefined {
  const served = resources.filter((one) => rootOf(one) === root);
  if (served.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Muster', version: 'v1' },
    paths: Object.fromEntries(served.map((one) => [pathOf(one), operations(one)])),
    components: { schemas: Object.fromEntries(served.flatMap(schemasOf)) },
  };
}

function rootOf(resource: Resource): string {
  return resource.group === '' ? `api/${resource.version}` : `apis/${apiVersionOf(resource)}`;
}

function pathOf(resource: Resource): string {
  return `/${rootOf(resource)}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}/{name}`;
}

function operations(resource: Resource): JsonObject {
  const kind = { group: resource.group, version: resource.version, kind: resource.kind };
  const answer = {
    200: {
      description: 'OK',
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName(resource)}` } } },
    },
  };
  const of = (action: string, parameters: Json): JsonObject => ({
    operationId: `${action}${resource.kind}`,
    parameters,
    responses: answer,
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  });
  return {
    get: of('get', []),
    put: of('put', writeParameters),
    patch: of('patch', writeParameters),
    delete: of('delete', []),
  };
}

function schemaName(resource: Resource): string {
  const [own] = resource.definitions().keys();
  if (own !== undefined) return fullName(own);
  const domain = resource.group === '' ? 'io.k8s.api.core' : resource.group.split('.').toReversed().join('.');
  return `${domain}.${resource.version}.${resource.kind}`;
}

function schemasOf(resource: Resource): readonly [string, Json][] {
  const { group, version, kind } = resource;
  const mark = { 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
  const parts = [...resource.definitions()];
  if (parts.length === 0) return [[schemaName(resource), { ...asJson(resource.schema), ...mark }]];
  return parts.map(([name, definition], index) => [
    fullName(name),
    { ...withDescriptions(name.split('.').at(-1) ?? name, published(definition)), ...(index === 0 && mark) },
  ]);
}

/** Converts a definition to OpenAPI: additions of a field are next to its reference, and internal marks are removed. */
function published(schema: JsonObject): JsonObject {
  const { $ref, ...rest } = schema;
  const target = typeof $ref === 'string' ? { $ref: `#/components/schemas/${fullName($ref)}` } : undefined;
  const own = Object.entries(rest).flatMap(([key, value]): [string, Json][] => {
    if (key === 'x-muster-keeps-zero') return [];
    if (key === 'format') return [[key, value === 'micro-time' ? 'date-time' : value]];
    if (key === 'properties' && isJsonObject(value)) return [[key, eachPublished(value)]];
    return [[key, isNested(key) && isJsonObject(value) ? published(value) : value]];
  });
  if (target === undefined) return Object.fromEntries(own);
  return own.length === 0 ? target : { allOf: [target], ...Object.fromEntries(own) };
}

function isNested(key: string): boolean {
  return key === 'items' || key === 'additionalProperties';
}

function eachPublished(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isJsonObject(schema) ? published(schema) : schema,
    ]),
  );
}

/** The full definition name that clients expect. */
function fullName(short: string): string {
  return short.startsWith('meta.') ? `io.k8s.apimachinery.pkg.apis.${short}` : `io.k8s.api.${short}`;
}

function asJson(schema: object): JsonObject {
  return { ...schema };
}
