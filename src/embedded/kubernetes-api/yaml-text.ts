/** Parses YAML to JSON. YAML parsing costs much more than JSON parsing, so its size limit is smaller. */
import { isMap, isPair, isScalar, isSeq, parseDocument, type Document } from 'yaml';
import type { Json } from './json.ts';
import { isJsonDeeper, nestingMax } from './json-depth.ts';
import { badRequest, StatusError } from './status-error.ts';

/** Longer than hand-written manifests; tools send JSON, even with a YAML content type. */
export const yamlLengthMax = 128 * 1024;
/** The limit of the real server. */
const foundMax = 100;

export interface YamlValue {
  readonly value: Json;
  /** Duplicate keys; the last value counts. */
  readonly duplicates: readonly string[];
}

export function parseYaml(text: string): YamlValue {
  if (text.length > yamlLengthMax)
    throw new StatusError(
      'RequestEntityTooLarge',
      `Request entity too large: limit for YAML is ${yamlLengthMax}, send JSON instead`,
    );
  const tooDeep = badRequest(`the body is nested more than ${nestingMax} levels deep`);
  try {
    // Duplicates are found here, because the parser compares each key with all earlier ones.
    const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false });
    const value = valueOf(document);
    if (isJsonDeeper(value, nestingMax)) throw tooDeep;
    return { value, duplicates: duplicatesIn(document) };
  } catch (error) {
    // The parser is recursive.
    if (error instanceof RangeError) throw tooDeep;
    throw error;
  }
}

/** Rejects aliases: manifests do not use them, and a few aliases can expand to gigabytes. */
function valueOf(document: Document): Json {
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

function duplicatesIn(document: Document): readonly string[] {
  const found: string[] = [];
  const open: unknown[] = [document.contents];
  while (open.length > 0 && found.length < foundMax) {
    const node = open.pop();
    if (isMap(node)) found.push(...repeatedKeys(node.items.map(({ key }) => key)));
    if (isMap(node) || isSeq(node))
      for (const item of node.items) open.push(isPair(item) ? item.value : item);
  }
  return found.slice(0, foundMax);
}

function repeatedKeys(keys: readonly unknown[]): readonly string[] {
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    if (!isScalar(key)) return [];
    const name = String(key.value);
    const isRepeated = seen.has(name);
    seen.add(name);
    return isRepeated ? [name] : [];
  });
}
