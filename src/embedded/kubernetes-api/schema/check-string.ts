/** The keywords `minLength`, `maxLength`, `pattern` and `format` on strings. Lengths count characters, not bytes. */
import { invalid, tooLong, typeInvalid } from './cause.ts';
import { fieldAt, Findings, type Place } from './findings.ts';
import { enforcedFormat, hasFormat } from './formats.ts';
import { patternFault } from './pattern.ts';
import type { JsonSchema } from './structural-schema.ts';

export function checkString({ schema, value, path, at }: Place): Findings | undefined {
  if (typeof value !== 'string') return undefined;
  const found = new Findings();
  const field = fieldAt(at, path);
  const { maxLength = Infinity } = schema;
  if (isLonger(value, maxLength))
    return found.add(`${path} in body should be at most ${maxLength} chars long`, tooLong(field, maxLength));
  const fault = shortFault(schema, value) ?? badPatternFault(schema, value);
  if (fault === undefined) return found;
  const sentence = `${path} in body ${fault}`;
  return found.add(sentence, invalid(field, value, sentence));
}

function shortFault({ minLength = 0 }: JsonSchema, value: string): string | undefined {
  const isShort = minLength > 0 && !isLonger(value, minLength - 1);
  return isShort ? `should be at least ${minLength} chars long` : undefined;
}

function badPatternFault({ pattern = '' }: JsonSchema, value: string): string | undefined {
  return pattern === '' ? undefined : patternFault(pattern, value);
}

/** Fast path: a character is one or two code units. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  return text.length > characters * 2 || Array.from(text).length > characters;
}

export function checkFormat({ schema, value, path, at }: Place): Findings | undefined {
  const format = enforcedFormat(schema);
  if (typeof value !== 'string' || format === '' || schema.type === 'integer' || schema.type === 'number')
    return undefined;
  if (hasFormat(format, value)) return new Findings();
  const sentence = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
  return new Findings().add(sentence, typeInvalid(fieldAt(at, path), value, sentence));
}
