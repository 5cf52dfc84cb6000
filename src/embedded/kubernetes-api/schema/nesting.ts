/**
 * The nesting limit of values. The functions of this folder are recursive, so a deeper value is rejected first, to
 * avoid a stack overflow.
 */
import { fieldNames, isJsonList, type Json } from '../json.ts';

export const nestingMax = 1_000;

export class TooDeeplyNested extends Error {
  constructor() {
    super(`nested deeper than ${nestingMax} levels`);
    this.name = 'TooDeeplyNested';
  }
}

export function isTooDeeplyNested(value: Json | undefined): boolean {
  return value !== undefined && isDeeper(value, nestingMax);
}

const manyItems = 1000;
/** Caches the checked depth of large lists, because each step of a write checks again. */
const levelsOfLarge = new WeakMap<readonly Json[], number>();

/** Recurses at most `levels` deep, and allocates nothing for leaves. */
function isDeeper(value: Json, levels: number): boolean {
  if (levels < 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  const isIn = (one: Json | undefined): boolean =>
    (levels === 0 || (typeof one === 'object' && one !== null)) && isDeeper(one ?? null, levels - 1);
  if (!isJsonList(value)) return fieldNames(value).some((name) => isIn(value[name]));
  if ((levelsOfLarge.get(value) ?? Infinity) <= levels) return false;
  if (value.some(isIn)) return true;
  if (value.length >= manyItems) levelsOfLarge.set(value, levels);
  return false;
}

export function refuseDeepNesting(value: Json): void {
  if (isTooDeeplyNested(value)) throw new TooDeeplyNested();
}
