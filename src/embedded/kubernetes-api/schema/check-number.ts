/** The keywords `minimum`, `maximum`, their exclusive forms, `multipleOf`, and the ranges of number formats. */
import { invalid } from './cause.ts';
import { fieldAt, fieldOfWhole, Findings, type Place } from './findings.ts';
import { enforcedFormat } from './formats.ts';
import type { JsonSchema } from './structural-schema.ts';
import { isInt64, isNearlyInteger } from './value-kind.ts';

/** Half a unit in the last place above the largest 32-bit float: from here on rounding gives infinity. */
const float32Limit = 2 ** 128 - 2 ** 103;

export function checkNumber(place: Place): Findings | undefined {
  const { schema, value } = place;
  if (typeof value !== 'number') return undefined;
  const found = new Findings();
  addRange(found, place, ['Checked', value]);
  if (schema.multipleOf !== undefined) {
    addRange(found, place, ['MultipleOf', schema.multipleOf]);
    addFault(found, place, multipleOfFault(value, comparable(place, value, schema.multipleOf)));
  }
  if (schema.minimum !== undefined) {
    addRange(found, place, ['Minimum boundary', schema.minimum]);
    addFault(found, place, minimumFault(schema, value, comparable(place, value, schema.minimum)));
  }
  if (schema.maximum !== undefined) {
    addRange(found, place, ['Maximum boundary', schema.maximum]);
    addFault(found, place, maximumFault(schema, value, comparable(place, value, schema.maximum)));
  }
  return found.count();
}

function minimumFault(schema: JsonSchema, value: number, least: number): string | undefined {
  if (schema.exclusiveMinimum === true) return value <= least ? `should be greater than ${least}` : undefined;
  return value < least ? `should be greater than or equal to ${least}` : undefined;
}

function maximumFault(schema: JsonSchema, value: number, most: number): string | undefined {
  if (schema.exclusiveMaximum === true) return value >= most ? `should be less than ${most}` : undefined;
  return value > most ? `should be less than or equal to ${most}` : undefined;
}

/** The real server compares an integer with the whole part of a limit, unless the type is integer and forbids that. */
function comparable({ schema }: Place, value: number, limit: number): number {
  return isInt64(value) && isInRange(schema, limit) ? Math.trunc(limit) : limit;
}

function isInRange(schema: JsonSchema, value: number): boolean {
  const format = enforcedFormat(schema);
  if (schema['x-kubernetes-int-or-string'] === true) return true;
  if (schema.type === 'integer')
    return isInt64(value) && (format !== 'int32' || Math.abs(value + 0.5) < 2 ** 31);
  return format !== 'float' || Math.abs(value) < float32Limit;
}

function addRange(
  found: Findings,
  { schema, path, at }: Place,
  [name, value]: readonly [string, number],
): void {
  if (isInRange(schema, value)) return;
  const format = enforcedFormat(schema);
  const kind = format === '' ? '(default format)' : `with format ${format}`;
  const sentence = `${name} value must be of type ${schema.type ?? ''} ${kind} in ${path}`;
  found.add(sentence, invalid(fieldOfWhole(at), '', sentence));
}

function multipleOfFault(value: number, factor: number): string | undefined {
  if (factor <= 0) return `factor must be positive: ${factor}`;
  const isMultiple =
    isInt64(value) && isInt64(factor)
      ? value % factor === 0
      : isNearlyInteger(factor < 1 ? (1 / factor) * value : value / factor);
  return isMultiple ? undefined : `should be a multiple of ${factor}`;
}

function addFault(found: Findings, { path, at, value }: Place, fault: string | undefined): void {
  if (fault === undefined) return;
  const sentence = `${path} in body ${fault}`;
  found.add(sentence, invalid(fieldAt(at, path), value, sentence));
}
