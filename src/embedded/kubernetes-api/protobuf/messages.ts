/**
 * The messages of Go clients: names, numbers and types of their fields, from a generated table. Other kinds are
 * rejected in protobuf, and can be sent as JSON.
 */
import table from './generated/messages.json' with { type: 'json' };

export type Scalar =
  | 'string'
  | 'bool'
  | 'int'
  | 'double'
  | 'bytes'
  /** A time in whole seconds, or with microseconds. */
  | 'time'
  | 'microtime'
  | 'quantity'
  | 'intorstring'
  /** JSON as bytes. */
  | 'raw'
  /** A list of strings in its own message. */
  | 'texts';

export interface Field {
  readonly name: string;
  /** `inline` merges the fields of the message. */
  readonly shape: 'one' | 'list' | 'map' | 'inline';
  readonly type: Scalar | { readonly message: string };
  /** Whether an empty value is kept: explicitly set, or always shown. */
  readonly keepsEmpty: boolean;
}

/** Fields by their number. */
export type Message = ReadonlyMap<number, Field>;

const scalars: ReadonlySet<string> = new Set<Scalar>([
  'string',
  'bool',
  'int',
  'double',
  'bytes',
  'time',
  'microtime',
  'quantity',
  'intorstring',
  'raw',
  'texts',
]);
const kinds: ReadonlyMap<string, string> = new Map(Object.entries(table.kinds));
const notations: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries<Readonly<Record<string, string>>>(table.messages),
);

/** The message name of a kind; undefined for an unknown kind. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  return kinds.get(`${apiVersion} ${kind}`);
}

export function messageNamed(name: string): Message {
  const notation = notations.get(name) ?? {};
  return new Map(Object.entries(notation).map(([number, text]) => [Number(number), fieldIn(text)]));
}

function fieldIn(notation: string): Field {
  const [, name = '', mark = '', type = ''] = /^(\^|[\w$-]+)(\?|\[\]|\{\})? (\S+)$/.exec(notation) ?? [];
  const shape = name === '^' ? 'inline' : mark === '[]' ? 'list' : mark === '{}' ? 'map' : 'one';
  return { name, shape, type: isScalar(type) ? type : { message: type.slice(1) }, keepsEmpty: mark === '?' };
}

function isScalar(type: string): type is Scalar {
  return scalars.has(type);
}
