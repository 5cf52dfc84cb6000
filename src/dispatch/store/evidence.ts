/** Makes evidence storable: foreign text in it must not prevent the audit record from being stored. */
import type { Evidence } from './rows.ts';

/** PostgreSQL refuses NUL and lone surrogates. */
export function storable(evidence: Evidence): Evidence {
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll('\0', ' ').toWellFormed() : value,
    ]),
  );
}
