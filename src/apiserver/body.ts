/** From a body to JSON, with the refusals a Kubernetes server gives. */
import { parseDocument } from 'yaml';
import type { Json } from './json.ts';
import { duplicateKeys, isNestedDeeper } from './json-text.ts';
import { decodeProtobuf, protobufType } from './protobuf/decode-protobuf.ts';
import { badRequest, StatusError } from './status-error.ts';

export interface Body {
  readonly value: Json | undefined;
  /** Paths of keys that were given twice; the last one counts. */
  readonly duplicates: readonly string[];
}

const nestingMax = 1000;

/** Whatever a client sent, by what it calls it. */
export function decodeBody(bytes: Uint8Array, contentType: string): Body {
  if (bytes.length > 0 && typeOf(contentType) === protobufType)
    return { value: decodeProtobuf(bytes), duplicates: [] };
  return parseBody(new TextDecoder('utf-8').decode(bytes), contentType);
}

export function parseBody(text: string, contentType: string): Body {
  if (text.trim() === '') return { value: undefined, duplicates: [] };
  refuseDeepNesting(text);
  const type = typeOf(contentType);
  if (type.endsWith('yaml')) return { value: parseYaml(text), duplicates: [] };
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

function parseJson(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`the body is not JSON: ${error.message}`);
    throw error;
  }
}

/** Aliases are refused: nobody writes manifests with them, and a few of them can stand for gigabytes. */
function parseYaml(text: string): Json {
  const document = parseDocument(text);
  if (document.errors.length > 0)
    throw badRequest(`the body is not YAML: ${document.errors[0]?.message ?? ''}`);
  try {
    const value: Json = document.toJS({ maxAliasCount: 0 });
    return value;
  } catch (error) {
    if (error instanceof ReferenceError)
      throw badRequest('the body is YAML with aliases, which are not accepted');
    throw error;
  }
}

/** Counted before parsing: a body that only nests is cheap to send and dear to walk. */
function refuseDeepNesting(text: string): void {
  if (isNestedDeeper(text, nestingMax))
    throw badRequest(`the body is nested more than ${nestingMax} levels deep`);
}
