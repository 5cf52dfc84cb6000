/** Compares two states: the end of a run with faults, and the end of the same run without. */
import { isJsonList, isJsonObject, type Json } from '../../../src/embedded/kubernetes-api/json.ts';

/** The first difference, as a sentence; undefined when there is none. */
export function differenceOf(got: Json | undefined, wanted: Json | undefined, path = ''): string | undefined {
  if (isJsonObject(got) && isJsonObject(wanted)) {
    const keys = [...new Set([...Object.keys(wanted), ...Object.keys(got)])].toSorted();
    return firstOf(keys, (key) => differenceOf(got[key], wanted[key], `${path}.${key}`));
  }
  if (isJsonList(got) && isJsonList(wanted)) {
    const places = Array.from({ length: Math.max(got.length, wanted.length) }, (_, index) => index);
    return firstOf(places, (index) => differenceOf(got[index], wanted[index], `${path}[${index}]`));
  }
  if (got === wanted) return undefined;
  return `${path === '' ? 'it' : path.replace(/^\./, '')} is ${textOf(got)}, without faults ${textOf(wanted)}`;
}

function firstOf<T>(list: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(value: Json | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}
