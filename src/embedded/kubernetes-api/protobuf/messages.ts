/**
 * The messages that Go clients send: names, numbers and types of their fields, from a generated table. Kinds that are
 * not in it are refused, and can be sent as JSON.
 */
import table from './generated/messages.json' with { type: 'json' };

export type Scalar =
  | 'string'
  | 'bool'
  | 'int'
  | 'double'
  | 'bytes'
  /** A moment in whole seconds, or with six digits behind them. */
  | 'time'
  | 'microtime'
  | 'quantity'
  | 'intorstring'
  /** JSON that travels as bytes. */
  | 'raw'
  /** A list of texts that is a message of its own. */
  | 'texts';

export interface Field {
  readonly name: string;
  /** `inline` stands for the fields of the message itself. */
  readonly shape: 'one' | 'list' | 'map' | 'inline';
  readonly type: Scalar | { readonly message: string };
  /** Whether an empty value says something: it was set to that, or is always shown. */
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

/** The name of the message of a kind; undefined for one that is not known. */
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
