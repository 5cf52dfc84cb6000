/** From YAML to JSON. Parsing costs much more than that of JSON, so the text has a smaller limit. */
import { isMap, isPair, isScalar, isSeq, parseDocument, type Document } from 'yaml';
import type { Json } from './json.ts';
import { isJsonDeeper, nestingMax } from './json-depth.ts';
import { badRequest, StatusError } from './status-error.ts';

/** Nobody writes longer manifests by hand, and tools send JSON, also where they call it YAML. */
export const yamlLengthMax = 128 * 1024;
/** As many as the real server tells of. */
const foundMax = 100;

export interface YamlValue {
  readonly value: Json;
  /** Keys that were given twice; the last one counts. */
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
    // The parser compares each key with all before it, so the keys are compared here.
    const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false });
    const value = valueOf(document);
    if (isJsonDeeper(value, nestingMax)) throw tooDeep;
    return { value, duplicates: duplicatesIn(document) };
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) throw tooDeep;
    throw error;
  }
}

/** Aliases are refused: nobody writes manifests with them, and a few of them can stand for gigabytes. */
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
