/** From a parsed body to an object of the resource that was asked for, with unknown fields handled as the caller wished. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { textAt, withMeta, type KubeObject } from '../kube-object.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { badRequest, invalid, type StatusError } from '../status-error.ts';
import { kindSubject, type Call } from './call.ts';

const knownMeta = new Set([
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]);
const textMaps = ['labels', 'annotations'];
const texts = ['name', 'namespace', 'generateName', 'uid', 'resourceVersion', 'selfLink'];
const counts = ['generation', 'deletionGracePeriodSeconds'];
const times = ['creationTimestamp', 'deletionTimestamp'];

/** The object has a name, though it may be empty while one is still to be generated. */
export function decodeObject(body: Json | undefined, resource: Resource): KubeObject {
  if (!isJsonObject(body)) throw badRequest('the body of the request is not an object');
  const wanted = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { apiVersion, kind } = typeOf(body, wanted, resource.typedItems);
  if (resource.typedItems && apiVersion === wanted.apiVersion && kind !== wanted.kind) {
    const message = `Invalid value: ${JSON.stringify(kind)}: must be ${wanted.kind}`;
    throw invalid({ group: resource.group, kind: resource.kind, name: '' }, [
      { field: 'kind', reason: 'FieldValueInvalid', message },
    ]);
  }
  if (apiVersion !== wanted.apiVersion || kind !== wanted.kind) {
    throw badRequest(
      `the kind in the data (${apiVersion} ${kind}) does not match the expected one (${wanted.apiVersion} ${wanted.kind})`,
    );
  }
  const metadata = body['metadata'] ?? {};
  if (!isJsonObject(metadata)) throw badRequest('metadata is not an object');
  refuseWrongTypes(metadata);
  return {
    ...body,
    apiVersion,
    kind,
    metadata: { ...dropEmpty(metadata), name: textAt(metadata, 'name') ?? '' },
  };
}

/** Built-in kinds may leave out what the path already says; custom ones may not. */
function typeOf(
  body: JsonObject,
  wanted: { apiVersion: string; kind: string },
  mustSay: boolean,
): { apiVersion: string; kind: string } {
  const apiVersion = textAt(body, 'apiVersion') ?? (mustSay ? '' : wanted.apiVersion);
  const kind = textAt(body, 'kind') ?? (mustSay ? '' : wanted.kind);
  if (kind === '') throw badRequest("Object 'Kind' is missing in the body of the request");
  return { apiVersion, kind };
}

function refuseWrongTypes(metadata: JsonObject): void {
  const maps = textMaps.flatMap((key) => {
    const value = metadata[key] ?? null;
    if (value === null) return [];
    return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string') ? [] : [key];
  });
  const lists = ['finalizers', 'ownerReferences'].filter(
    (key) => (metadata[key] ?? null) !== null && !Array.isArray(metadata[key]),
  );
  const notTexts = [...texts, ...times].filter((key) => !isOrIsNot(metadata[key], 'string'));
  const notCounts = counts.filter((key) => !isOrIsNot(metadata[key], 'number'));
  const notTimes = times.filter((key) => typeof metadata[key] === 'string' && !isTime(metadata[key]));
  const [wrong] = [...maps, ...lists, ...notTexts, ...notCounts, ...notTimes];
  if (wrong !== undefined)
    throw badRequest(`json: cannot unmarshal metadata.${wrong}: it has the wrong type`);
}

function isOrIsNot(value: Json | undefined, type: 'string' | 'number'): boolean {
  return (value ?? null) === null || typeof value === type;
}

function isTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text));
}

/** An empty list or map in metadata is the same as none, and is stored as none. */
function dropEmpty(metadata: JsonObject): JsonObject {
  const kept = Object.entries(metadata).filter(([key, value]) => !isEmpty(value) && !isUnset(key, value));
  return Object.fromEntries(kept);
}

function isUnset(key: string, value: Json): boolean {
  return (value === '' && texts.includes(key)) || (value === 0 && key === 'generation');
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** The object in a body as it could be stored: pruned and filled in, and the caller told of what nobody knows. */
export function decodeWrite(call: Call, body: Json | undefined): KubeObject {
  const decoded = decodeObject(body, call.resource);
  // No schema says anything about who owns what, and the list may be longer than the object.
  const { managedFields } = decoded.metadata;
  return withMeta(conform(call, withMeta(decoded, { managedFields: undefined })), { managedFields });
}

/** Prunes, defaults, and refuses or warns about what the schema does not know. */
function conform(call: Call, object: KubeObject): KubeObject {
  const { object: conformed, unknown } = call.resource.conform(object);
  const inMeta = Object.keys(object.metadata)
    .filter((key) => !knownMeta.has(key))
    .map((key) => `metadata.${key}`);
  reportUnknown(call, [...inMeta, ...unknown]);
  const metadata = Object.entries(conformed.metadata).filter(([key]) => knownMeta.has(key));
  return { ...conformed, metadata: { ...Object.fromEntries(metadata), name: conformed.metadata.name } };
}

function reportUnknown(call: Call, paths: readonly string[]): void {
  const wish = call.query['fieldValidation'] || 'Warn';
  const said = [
    ...call.duplicates.map((path) => `duplicate field "${path}"`),
    ...paths.map((path) => `unknown field "${path}"`),
  ];
  if (said.length === 0 || wish === 'Ignore') return;
  if (wish === 'Strict') throw strictFailure(call, `strict decoding error: ${said.join(', ')}`);
  for (const one of said) call.warn(one);
}

/** The client wrote the patch, not the object that came of it, so that is what is called invalid. */
function strictFailure(call: Call, message: string): StatusError {
  if (!call.isPatch) return badRequest(message);
  const subject = kindSubject(call.resource, call.name ?? '');
  return invalid(subject, [
    { field: 'patch', reason: 'FieldValueInvalid', message: `Invalid value: ${message}` },
  ]);
}
