/**
 * How deep a value may be nested. The functions of this folder follow a value by calling themselves, so a deeper one
 * is refused before they start instead of ending the process.
 */
import type { Json } from '../json.ts';

export const nestingMax = 1_000;

export class TooDeeplyNested extends Error {
  constructor() {
    super(`nested deeper than ${nestingMax} levels`);
    this.name = 'TooDeeplyNested';
  }
}

export function isTooDeeplyNested(value: Json | undefined): boolean {
  let level: Json[] = value === undefined ? [] : [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > nestingMax) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

export function refuseDeepNesting(value: Json): void {
  if (isTooDeeplyNested(value)) throw new TooDeeplyNested();
}
