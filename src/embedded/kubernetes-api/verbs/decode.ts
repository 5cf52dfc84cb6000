/** Decodes a parsed body to an object of the requested resource, with the requested handling of unknown fields. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { textAt, withMeta, type KubeObject } from '../kube-object.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { typedMetadata } from '../registry/object-metadata.ts';
import { badRequest, StatusError } from '../status-error.ts';
import type { Call } from './call.ts';

/** The limit of reported unknown fields. */
const reportsMax = 100;
const textMax = 4 * 1024;

interface Decoded {
  readonly object: KubeObject;
  readonly unknown: readonly string[];
}

/** The name of the object may be empty until it is generated. */
function decodeObject(body: Json | undefined, resource: Resource): Decoded {
  if (!isJsonObject(body)) throw badRequest('the body of the request is not an object');
  const wanted = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { apiVersion, kind } = typeOf(body, wanted, resource.typedItems);
  // A custom resource is decoded with any kind and version.
  if (!resource.typedItems && (apiVersion !== wanted.apiVersion || kind !== wanted.kind))
    throw otherType(resource, { apiVersion, kind });
  const metadata = body['metadata'] ?? {};
  if (!isJsonObject(metadata)) throw badRequest('metadata is not an object');
  const typed = typedMetadata(metadata);
  const named = { ...typed.metadata, name: textAt(metadata, 'name') ?? '' };
  return { object: { ...body, apiVersion, kind, metadata: named }, unknown: typed.unknown };
}

interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
}

function otherType(resource: Resource, { apiVersion, kind }: ObjectType): StatusError {
  return badRequest(
    `the kind in the data (${apiVersion} ${kind}) does not match the expected one (${apiVersionOf(resource)} ${resource.kind})`,
  );
}

/** Built-in kinds may omit kind and version; custom ones may not. */
function typeOf(body: JsonObject, wanted: ObjectType, mustSay: boolean): ObjectType {
  const isText = (value: Json | undefined): boolean => (value ?? null) === null || typeof value === 'string';
  if (!isText(body['apiVersion']) || !isText(body['kind']))
    throw badRequest('the type of the object is no text');
  const apiVersion = textAt(body, 'apiVersion') || (mustSay ? '' : wanted.apiVersion);
  const kind = textAt(body, 'kind') || (mustSay ? '' : wanted.kind);
  if (kind === '') throw badRequest("Object 'Kind' is missing in the body of the request");
  return { apiVersion, kind };
}

/** Decodes, prunes and defaults the object in a body, and reports unknown fields. */
export function decodeWrite(call: Call, body: Json | undefined): KubeObject {
  const { resource } = call;
  const { object, said, unknown } = orReportPatch(call, () => conformed(resource, body));
  reportUnknown(call, unknown);
  return orReportPatch(call, () => {
    if (said === apiVersionOf(resource)) return object;
    throw otherType(resource, object);
  });
}

function conformed(resource: Resource, body: Json | undefined): Decoded & { readonly said: string } {
  const { object, unknown } = decodeObject(body, resource);
  const said = object.apiVersion;
  // The schema does not apply to another kind.
  if (object.kind !== resource.kind || said !== apiVersionOf(resource)) return { object, said, unknown };
  // managedFields have no schema, and may be longer than the object.
  const { managedFields } = object.metadata;
  const bare = managedFields === undefined ? object : withMeta(object, { managedFields: undefined });
  const conform = resource.conform(bare);
  return {
    object: managedFields === undefined ? conform.object : withMeta(conform.object, { managedFields }),
    said,
    unknown: [...unknown, ...conform.unknown],
  };
}

/** An undecodable result is an error of the patch, not of the body. */
function orReportPatch<T>(call: Call, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!call.isPatch || !(error instanceof StatusError) || error.reason !== 'BadRequest') throw error;
    if (call.contentType.startsWith('application/apply-patch'))
      throw new StatusError('Unknown', error.message);
    throw badPatch(error.message);
  }
}

function reportUnknown(call: Call, paths: readonly string[]): void {
  const requirements = call.query['fieldValidation'] || 'Warn';
  const said = [
    ...call.duplicates.map((path) => `duplicate field "${path}"`),
    ...paths.slice(0, reportsMax).map((path) => `unknown field "${path}"`),
  ].map((text) => text.slice(0, textMax));
  if (said.length === 0 || requirements === 'Ignore') return;
  if (requirements === 'Strict') throw strictFailure(call, `strict decoding error: ${said.join(', ')}`);
  for (const one of said) call.warn(one);
}

/** The error names the patch, because the client sent the patch, not the resulting object. */
function strictFailure(call: Call, message: string): StatusError {
  return call.isPatch ? badPatch(message) : badRequest(message);
}

function badPatch(message: string): StatusError {
  const cause = { field: 'patch', reason: 'FieldValueInvalid', message: `Invalid value: ${message}` };
  return new StatusError('Invalid', `the patch is invalid: ${message}`, { causes: [cause] });
}
