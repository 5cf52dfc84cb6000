/**
 * Converts logged values to plain data that is safe to print. A `Secret` and values with a secret name are redacted,
 * errors include their causes, control characters are escaped, and size is bounded. Never throws.
 */
import { isFleetError } from '../errors/fleet-error.ts';
import { redacted } from '../secret.ts';
import { isSecretName, withoutSecrets } from './secret-words.ts';

type Printable = string | number | boolean | null | readonly Printable[] | PrintableFields;
export interface PrintableFields {
  readonly [name: string]: Printable;
}

const depthMax = 8;
const itemsMax = 100;
const textMax = 8000;
/** The limit of values in one line. */
const partsMax = 2000;
/**
 * Characters that move a cursor, start a color, end a line for some readers or change the direction of writing.
 * Newline and tab stay, because JSON escapes them.
 */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function printableText(text: string): string {
  const short = text.length > textMax ? `${text.slice(0, textMax)}… (${text.length} characters)` : text;
  return withoutSecrets(short).replaceAll(
    unprintable,
    (character) => String.raw`\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}

export function printableFields(fields: object): PrintableFields {
  const above = new Above([fields], { left: partsMax });
  const printed = readable(() => fieldsIn(Object.entries(fields), above));
  return isFields(printed) ? printed : { fields: printed };
}

function isFields(printed: Printable): printed is PrintableFields {
  return typeof printed === 'object' && printed !== null && !Array.isArray(printed);
}

/** The enclosing objects, from the outside in. */
class Above {
  readonly #objects: readonly object[];
  readonly #parts: { left: number };

  constructor(objects: readonly object[], parts: { left: number }) {
    this.#objects = objects;
    this.#parts = parts;
  }

  /** False once the line has used its limit. */
  takePart(): boolean {
    this.#parts.left -= 1;
    return this.#parts.left >= 0;
  }

  get isDeep(): boolean {
    return this.#objects.length > depthMax;
  }

  has(object: object): boolean {
    return this.#objects.includes(object);
  }

  and(object: object): Above {
    return new Above([...this.#objects, object], this.#parts);
  }
}

function printable(value: unknown, above: Above): Printable {
  return above.takePart() ? printablePart(value, above) : '[too much]';
}

function printablePart(value: unknown, above: Above): Printable {
  if (typeof value === 'string') return printableText(value);
  if (typeof value === 'object') return value === null ? null : printableObject(value, above);
  if (typeof value === 'boolean' || value === undefined) return value ?? null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return typeof value === 'bigint' ? String(value) : `[${typeof value}]`;
}

function printableObject(value: object, above: Above): Printable {
  if (above.has(value)) return '[circular]';
  if (above.isDeep) return '[deep]';
  return readable(() => contentOf(value, above.and(value)));
}

function contentOf(value: object, within: Above): Printable {
  if (value instanceof Error) return errorIn(value, within);
  if (Array.isArray(value)) return listIn(value, within);
  if (value instanceof Set) return listIn([...value], within);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (hasEntries(value)) return fieldsIn([...value.entries()], within);
  if ('toJSON' in value && typeof value.toJSON === 'function') return printable(value.toJSON(), within);
  return fieldsIn(Object.entries(value), within);
}

/** A getter that throws must not lose the line or end the process. */
function readable(read: () => Printable): Printable {
  try {
    return read();
  } catch {
    return '[unreadable]';
  }
}

type WithEntries = Map<unknown, unknown> | Headers | URLSearchParams;

function hasEntries(value: object): value is WithEntries {
  return value instanceof Map || value instanceof Headers || value instanceof URLSearchParams;
}

function fieldsIn(entries: readonly (readonly [unknown, unknown])[], above: Above): PrintableFields {
  // A Kubernetes Secret, whatever the names of its fields.
  const isSecret = entries.some(([name, value]) => name === 'kind' && value === 'Secret');
  const some = entries.slice(0, itemsMax).map(([name, value]): [string, Printable] => {
    const key = printableText(String(name));
    return [key, isSecretName(key) || (isSecret && isData(key)) ? covered(value) : printable(value, above)];
  });
  const more = entries.length - some.length;
  return Object.fromEntries(more > 0 ? [...some, ['…', `${more} more`]] : some);
}

function isData(key: string): boolean {
  return key === 'data' || key === 'stringData';
}

/** An absent value is no secret, and is useful for debugging. */
function covered(value: unknown): Printable {
  return value === undefined || value === null || value === '' ? null : redacted;
}

/** Headers also come as a flat list of names and values. */
function listIn(items: readonly unknown[], above: Above): readonly Printable[] {
  const some = items.slice(0, itemsMax).map((item, index) => {
    const before = items[index - 1];
    return typeof before === 'string' && isSecretName(before) ? redacted : printable(item, above);
  });
  return items.length > some.length ? [...some, `… ${items.length - some.length} more`] : some;
}

/** Only harmless fields of an error are printed: libraries attach whole requests to theirs. */
function errorIn(error: Error, above: Above): PrintableFields {
  const { name, message, stack, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? { code: printableText(error.code) } : {};
  const reported = { name: printableText(name), message: printableText(message), ...code };
  const why = cause === undefined ? {} : { cause: printable(cause, above) };
  if (isFleetError(error)) {
    const { kind, reason, retryAt } = error;
    const when = retryAt === undefined ? {} : { retryAt };
    return { ...reported, kind, reason: printableText(reason), ...when, ...why };
  }
  const all = error instanceof AggregateError ? { errors: listIn(error.errors, above) } : {};
  return { ...reported, stack: printableText(stack ?? ''), ...why, ...all };
}
