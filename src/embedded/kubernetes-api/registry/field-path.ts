/** Reads and writes the value at a dotted path such as `spec.nodeName`; a leading dot makes no difference. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { withFields, type KubeObject } from '../kube-object.ts';

export function valueAt(value: Json, path: string): Json | undefined {
  let at: Json | undefined = value;
  for (const key of keysOf(path)) at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

/** The text at a path, or an empty text. */
export function textReader(path: string): (object: KubeObject) => string {
  return (object) => {
    const value = valueAt(object, path);
    return typeof value === 'string' ? value : '';
  };
}

/** A copy with the value at the path; creates missing parents. */
export function withValueAt(object: KubeObject, path: string, value: Json): KubeObject {
  const [first = '', ...rest] = keysOf(path);
  return withFields(object, { [first]: put(object[first], rest, value) });
}

function put(at: Json | undefined, keys: readonly string[], value: Json): Json {
  const [first, ...rest] = keys;
  if (first === undefined) return value;
  const fields: JsonObject = isJsonObject(at) ? at : {};
  return Object.fromEntries([
    ...Object.entries(fields).filter(([key]) => key !== first),
    [first, put(fields[first], rest, value)],
  ]);
}

function keysOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}
