/** The JSON type of a value. A number is an integer where the real server reads it as one. */
import type { Json } from '../json.ts';

export type ValueKind = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

const int64Limit = 2 ** 63;

export function kindOf(value: Json): ValueKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'string' : 'object';
}

export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -int64Limit && value < int64Limit;
}

/** Whether a number is an integer up to a rounding error. Negative numbers must be exact. */
export function isNearlyInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return whole > 0 && (value - whole) / (value + whole) < 1e-9;
}
