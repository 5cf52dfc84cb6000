/** Decodes a body to JSON, with the errors of a Kubernetes server. */
import type { Json } from './json.ts';
import { nestingMax } from './json-depth.ts';
import { duplicateKeys, isNestedDeeper } from './json-text.ts';
import { decodeProtobuf, protobufType } from './protobuf/decode-protobuf.ts';
import { badRequest, StatusError } from './status-error.ts';
import { parseYaml } from './yaml-text.ts';

export interface Body {
  readonly value: Json | undefined;
  /** Paths of duplicate keys; the last value counts. */
  readonly duplicates: readonly string[];
}

/** Decodes a body by its content type. */
export function decodeBody(bytes: Uint8Array, contentType: string): Body {
  if (bytes.length > 0 && typeOf(contentType) === protobufType)
    return { value: decodeProtobuf(bytes), duplicates: [] };
  return parseBody(new TextDecoder('utf-8').decode(bytes), contentType);
}

export function parseBody(text: string, contentType: string): Body {
  if (text.trim() === '') return { value: undefined, duplicates: [] };
  refuseDeepNesting(text);
  const type = typeOf(contentType);
  // JSON is valid YAML, and apply tools send JSON with a YAML content type.
  if (type.endsWith('yaml')) return jsonIn(text) ?? parseYaml(text);
  if (type === '' || type === '*/*' || type.endsWith('json'))
    return { value: parseJson(text), duplicates: duplicateKeys(text) };
  throw new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - ${type.slice(0, 100)} is not accepted`,
  );
}

function typeOf(contentType: string): string {
  return contentType.split(';')[0]?.trim() ?? '';
}

function jsonIn(text: string): Body | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return { value, duplicates: duplicateKeys(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function parseJson(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`the body is not JSON: ${error.message}`);
    throw error;
  }
}

/** Counted before parsing: deep nesting is cheap to send and expensive to process. */
function refuseDeepNesting(text: string): void {
  if (isNestedDeeper(text, nestingMax))
    throw badRequest(`the body is nested more than ${nestingMax} levels deep`);
}
