/** What is kept of evidence: whatever somebody else said in it, it must not keep the act from being stored. */
import type { Evidence } from './rows.ts';

/** The database has no place for a NUL, nor for half of a letter that was cut in two. */
export function storable(evidence: Evidence): Evidence {
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll('\0', ' ').toWellFormed() : value,
    ]),
  );
}
