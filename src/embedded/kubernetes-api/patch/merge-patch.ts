/** JSON merge patch (RFC 7386): null deletes, objects merge, everything else replaces. */
import { isJsonObject, type Json } from '../json.ts';

export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const base = isJsonObject(target) ? target : {};
  const merged = new Map<string, Json>(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
