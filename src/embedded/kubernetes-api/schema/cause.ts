/** A validation error in the format of `details.causes`. */
import type { Json } from '../json.ts';

export type CauseReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany';

export interface Cause {
  /** Such as `spec.foo[0].bar`. Errors without a field have `<nil>`, as on the real server. */
  readonly field: string;
  readonly reason: CauseReason;
  readonly message: string;
}

export const noField = '<nil>';

export function required(field: string, detail = ''): Cause {
  return { field, reason: 'FieldValueRequired', message: joined('Required value', detail) };
}

export function forbidden(field: string, detail: string): Cause {
  return { field, reason: 'FieldValueForbidden', message: joined('Forbidden', detail) };
}

export function invalid(field: string, value: Json, detail: string): Cause {
  return { field, reason: 'FieldValueInvalid', message: joined('Invalid value', shown(value), detail) };
}

export function typeInvalid(field: string, value: Json, detail: string): Cause {
  return { field, reason: 'FieldValueTypeInvalid', message: joined('Invalid value', shown(value), detail) };
}

export function notSupported(field: string, value: Json, supported: readonly Json[]): Cause {
  const names = supported.map((one) => JSON.stringify(typeof one === 'string' ? one : shown(one)));
  const detail = names.length === 0 ? '' : `supported values: ${names.join(', ')}`;
  return {
    field,
    reason: 'FieldValueNotSupported',
    message: joined('Unsupported value', shown(value), detail),
  };
}

export function duplicate(field: string, value: Json): Cause {
  return { field, reason: 'FieldValueDuplicate', message: joined('Duplicate value', shown(value)) };
}

export function tooLong(field: string, max: number): Cause {
  const detail = `may not be more than ${counted(max, 'byte')}`;
  return { field, reason: 'FieldValueTooLong', message: joined('Too long', detail) };
}

export function tooMany(field: string, actual: number, max: number): Cause {
  const detail = `must have at most ${counted(max, 'item')}`;
  return { field, reason: 'FieldValueTooMany', message: joined('Too many', shown(actual), detail) };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(': ');
}

function shown(value: Json): string {
  return JSON.stringify(value);
}
