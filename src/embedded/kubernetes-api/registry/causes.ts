/** Validation errors of the built-in kinds, with the texts of the API. */
import type { Json } from '../json.ts';
import type { Cause } from '../status-error.ts';

export function required(field: string, why = ''): Cause {
  return { field, reason: 'FieldValueRequired', message: `Required value${why === '' ? '' : `: ${why}`}` };
}

export function wrong(field: string, value: Json | undefined, why: string): Cause {
  return {
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value ?? null)}: ${why}`,
  };
}

export function twice(field: string, value: Json): Cause {
  return { field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(value)}` };
}

export function forbidden(field: string, why: string): Cause {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

export function unsupported(field: string, value: Json | undefined, supported: readonly string[]): Cause {
  return {
    field,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(value ?? '')}: supported values: ${supported.join(', ')}`,
  };
}

export function nowhere(field: string, value: Json): Cause {
  return { field, reason: 'FieldValueNotFound', message: `Not found: ${JSON.stringify(value)}` };
}

/** The range of port numbers. */
export function portCauses(field: string, value: Json | undefined): readonly Cause[] {
  const fits = typeof value === 'number' && value >= 1 && value <= 65_535;
  return fits ? [] : [wrong(field, value, 'must be between 1 and 65535, inclusive')];
}
