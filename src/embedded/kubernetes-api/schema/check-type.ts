/** The keywords `type`, `nullable` and `x-kubernetes-int-or-string`. */
import type { Json } from '../json.ts';
import { typeInvalid } from './cause.ts';
import { fieldAt, Findings, oneMatch, type Place } from './findings.ts';
import { enforcedFormat } from './formats.ts';
import type { JsonSchema } from './structural-schema.ts';
import { isNearlyInteger, kindOf } from './value-kind.ts';

export function typesOf(schema: JsonSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

export function checkType(place: Place): Findings | undefined {
  const types = typesOf(place.schema);
  const format = enforcedFormat(place.schema);
  if (types.length === 0 && format === '') return undefined;
  const mismatch = mismatchOf(place, types, format);
  if (mismatch === undefined) return oneMatch;
  const [wanted, found] = mismatch;
  const sentence = `${place.path} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
  return new Findings().add(sentence, typeInvalid(fieldAt(place.at, place.path), found, sentence));
}

/** The expected and the actual type. */
function mismatchOf(
  { schema, value }: Place,
  types: readonly string[],
  format: string,
): readonly [string, string] | undefined {
  const kind = kindOf(value);
  const wanted = types.join(',');
  if (kind === 'null') return types.length > 0 && schema.nullable !== true ? [wanted, kind] : undefined;
  if (isOneOf(types, value)) return undefined;
  if (format === '') return [wanted, kind];
  if (kind !== 'string' && kind !== 'array') return [format, nameOfFormat(kind)];
  // A format hides the type: the real server accepts a list for a string with a format.
  return types.includes('number') || types.includes('integer') ? [wanted, kind] : undefined;
}

function isOneOf(types: readonly string[], value: Json): boolean {
  const kind = kindOf(value);
  if (types.includes(kind) || (kind === 'integer' && types.includes('number'))) return true;
  return typeof value === 'number' && types.includes('integer') && isNearlyInteger(value);
}

function nameOfFormat(kind: string): string {
  if (kind === 'integer') return 'int64';
  return kind === 'number' ? 'float64' : '';
}
