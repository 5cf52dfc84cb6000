/** Replaces the schema in a definition through the API. */
import { ownIdentity as identity } from '../auth/identity.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Answer, ApiRequest } from '../request.ts';
import type { SchemaChange } from './faults.ts';

interface Synchronous {
  handle(request: ApiRequest): Answer;
}

/** Returns the result as text. */
export function changeSchema(server: Synchronous, change: SchemaChange): string {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${encodeURIComponent(change.definition)}`;
  const found = server.handle({ identity, method: 'GET', path, query: {} });
  if (!('status' in found) || found.status !== 200) return 'there is no such definition';
  const body = withSchema(found.body, change);
  if (body === undefined) return `it has no version ${change.version}`;
  const answer = server.handle({ identity, method: 'PUT', path, query: {}, body });
  return !('status' in answer) || answer.status !== 200 ? `refused: ${messageIn(answer)}` : 'done';
}

/** Undefined when the definition lacks the version. */
function withSchema(definition: JsonObject, { version, schema }: SchemaChange): JsonObject | undefined {
  const spec = isJsonObject(definition['spec']) ? definition['spec'] : {};
  const versions = isJsonList(spec['versions']) ? spec['versions'].filter(isJsonObject) : [];
  const isMeant = (one: JsonObject): boolean => version === undefined || one['name'] === version;
  if (!versions.some(isMeant)) return undefined;
  const changed: readonly Json[] = versions.map((one) =>
    isMeant(one) ? { ...one, schema: { openAPIV3Schema: schema } } : one,
  );
  return { ...definition, spec: { ...spec, versions: changed } };
}

function messageIn(answer: Answer): string {
  return 'status' in answer ? JSON.stringify(answer.body['message']) : 'not taken for a write';
}
