/** A scalar in the form of a statically typed server, or the error. */
import type { Json } from '../json.ts';
import { isDateTime } from '../schema/time-formats.ts';
import type { BuiltinSchema } from './builtin-schemas.ts';
import { canonicalQuantity } from './quantity.ts';

/** A value of the wrong type, which a typed client cannot send. */
export class WrongType extends Error {}

const int32Max = 2 ** 31 - 1;
/** Exactly six fractional digits. */
const microTime = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})[.](\d{6})(Z|[+-]\d{2}:\d{2})$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Throws `WrongType`. */
export function typedScalar(schema: BuiltinSchema, value: Json): Json {
  if (schema['x-kubernetes-int-or-string'] === true)
    return typeof value === 'string' ? value : wholeNumber(value, int32Max);
  if (schema.type === 'string') return typedText(schema.format, value);
  if (schema.type === 'boolean') return typeof value === 'boolean' ? value : refuse(value, 'true or false');
  if (schema.type === 'number') return typeof value === 'number' ? value : refuse(value, 'a number');
  return wholeNumber(value, schema.format === 'int32' ? int32Max : Number.MAX_VALUE);
}

function wholeNumber(value: Json, max: number): Json {
  const fits = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= max;
  return fits ? value : refuse(value, 'a whole number');
}

function typedText(format: string | undefined, value: Json): Json {
  if (format === 'quantity' && (typeof value === 'string' || typeof value === 'number'))
    return canonicalQuantity(String(value)) ?? refuse(value, 'a quantity');
  if (typeof value !== 'string') return refuse(value, 'a text');
  if (format === 'date-time') return wholeSeconds(value);
  if (format === 'micro-time') return microSeconds(value);
  if (format === 'byte' && !base64.test(value)) return refuse(value, 'base64');
  return value;
}

function wholeSeconds(text: string): string {
  if (!isDateTime(text)) return refuse(text, 'a time');
  return utc(text);
}

function microSeconds(text: string): string {
  const [, seconds, digits, zone] = microTime.exec(text) ?? [];
  if (seconds === undefined || !isDateTime(text)) return refuse(text, 'a time with six digits of a second');
  return `${utc(`${seconds}${zone ?? 'Z'}`).slice(0, -1)}.${digits ?? ''}Z`;
}

/** Times are stored in UTC. */
function utc(text: string): string {
  const moment = Date.parse(text.toUpperCase());
  if (Number.isNaN(moment)) return refuse(text, 'a time');
  return new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z');
}

function refuse(value: Json, wanted: string): never {
  throw new WrongType(`${JSON.stringify(value).slice(0, 100)} is not ${wanted}`);
}
