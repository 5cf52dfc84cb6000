/** Checks the nesting depth of a parsed value. Recursive functions need a depth limit. */
import type { Json } from './json.ts';

export const nestingMax = 1000;

export function isJsonDeeper(value: Json, max: number): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > max) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}
