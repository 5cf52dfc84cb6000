/** The keyword `enum`. Null is never valid, even where the list has it. */
import { isJsonEqual, type Json } from '../json.ts';
import { notSupported } from './cause.ts';
import { fieldAt, Findings, type Place } from './findings.ts';
import { isInt64 } from './value-kind.ts';

const nothing = new Findings();

export function checkEnum({ schema, value, path, at }: Place): Findings {
  const { enum: allowed = [] } = schema;
  if (allowed.length === 0) return nothing;
  const found = new Findings();
  if (value !== null && allowed.some((one) => isSame(one, value))) return found;
  return found.add(
    `${path} in body should be one of ${JSON.stringify(allowed)}`,
    notSupported(fieldAt(at, path), value, allowed),
  );
}

/** The real server converts a number to the type of the allowed value, so 2.5 equals 2. */
function isSame(allowed: Json, value: Json): boolean {
  if (typeof allowed === 'number' && typeof value === 'number' && isInt64(allowed))
    return Math.trunc(value) === allowed;
  return isJsonEqual(allowed, value);
}
