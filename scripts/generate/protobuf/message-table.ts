/**
 * The protobuf messages of some kinds in the short notation of the server: for each message its fields by number, each
 * as `name type`. A name ends in `?` when an empty value has a meaning, in `[]` for a list, in `{}` for a map; the name
 * `^` inlines the fields of the message.
 */
import type { GoField, GoPackage } from './go-structs.ts';

export interface MessageTable {
  /** The message of each kind, by apiVersion and kind. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Short name of a package by its import path. */
export type Packages = ReadonlyMap<string, { readonly short: string; readonly content: GoPackage }>;

/** Types with their own JSON form. */
const special: ReadonlyMap<string, string> = new Map([
  ['meta.Time', 'time'],
  ['meta.MicroTime', 'microtime'],
  ['meta.FieldsV1', 'raw'],
  ['apiextensions.JSON', 'raw'],
  ['resource.Quantity', 'quantity'],
  ['intstr.IntOrString', 'intorstring'],
  ['runtime.RawExtension', 'raw'],
  ['types.UID', 'string'],
  ['types.NodeName', 'string'],
  ['authentication.ExtraValue', 'texts'],
  ['authorization.ExtraValue', 'texts'],
]);
const basic: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['bool', 'bool'],
  ['int32', 'int'],
  ['int64', 'int'],
  ['float64', 'double'],
  ['[]byte', 'bytes'],
]);

const goBasics = new Set(['string', 'bool', 'int32', 'int64', 'float64', 'byte']);
/** Pointers, lists and maps around a name. */
const wrapping = /^(?:\*|\[\]|map\[[^\]]+\])*/;

/** Structs that `omitempty` does not omit: they appear as null. */
const times = new Set(['time', 'microtime']);

export function messageTable(packages: Packages, kinds: Readonly<Record<string, string>>): MessageTable {
  const messages = new Map<string, Readonly<Record<string, string>>>();
  const add = (message: string): void => {
    if (messages.has(message)) return;
    const resolver = new Resolver(packages, message, add);
    messages.set(message, {});
    messages.set(message, resolver.fields());
  };
  for (const message of Object.values(kinds)) add(message);
  const sorted = [...messages].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { kinds, messages: Object.fromEntries(sorted) };
}

class Resolver {
  readonly #packages: Packages;
  readonly #message: string;
  readonly #add: (message: string) => void;

  constructor(packages: Packages, message: string, add: (message: string) => void) {
    this.#packages = packages;
    this.#message = message;
    this.#add = add;
  }

  fields(): Readonly<Record<string, string>> {
    const [short = '', name = ''] = this.#message.split('.');
    const fields = this.#content(short)?.structs.get(name);
    if (fields === undefined) throw new Error(`there is no struct ${this.#message}`);
    const sorted = fields.toSorted((a, b) => a.number - b.number);
    return Object.fromEntries(sorted.map((field) => [String(field.number), this.#notation(field, short)]));
  }

  #notation({ json, type, omits }: GoField, short: string): string {
    const shape = this.#shape(this.#resolved(type.replace(/^\*/, ''), short));
    const leaf = this.#leaf(shape.of);
    const isShown = type.startsWith('*') || omits === 'nothing' || (omits === 'empty' && times.has(leaf));
    const mark = shape.mark === '' && isShown ? '?' : shape.mark;
    return `${json === '' ? '^' : `${json}${mark}`} ${leaf}`;
  }

  #shape(type: string): { readonly mark: '' | '[]' | '{}'; readonly of: string } {
    const [, key, of = ''] = /^map\[([^\]]+)\](.+)$/.exec(type) ?? [];
    if (key !== undefined) return { mark: '{}', of };
    return type.startsWith('[]') && type !== '[]byte'
      ? { mark: '[]', of: type.slice(2) }
      : { mark: '', of: type };
  }

  #leaf(type: string): string {
    const plain = type.replace(/^\*/, '');
    const known = basic.get(plain) ?? special.get(plain);
    if (known !== undefined) return known;
    this.#add(plain);
    return `@${plain}`;
  }

  /** The type independent of a file: short package names, and aliases resolved. */
  #resolved(type: string, short: string): string {
    const name = type.replace(wrapping, '');
    if (goBasics.has(name)) return type;
    const full = this.#qualified(name, short);
    const [home = '', own = ''] = full.split('.');
    const behind = special.has(full) ? undefined : this.#content(home)?.aliases.get(own);
    const prefix = type.slice(0, type.length - name.length);
    return `${prefix}${behind === undefined ? full : this.#resolved(behind, home)}`;
  }

  /** `v1.Pod` in a package becomes `core.Pod`. */
  #qualified(name: string, short: string): string {
    const [first = '', second] = name.split('.');
    if (second === undefined) return `${short}.${first}`;
    const path = this.#content(short)?.imports.get(first) ?? '';
    return `${this.#packages.get(path)?.short ?? path.split('/').at(-1) ?? first}.${second}`;
  }

  #content(short: string): GoPackage | undefined {
    return [...this.#packages.values()].find((one) => one.short === short)?.content;
  }
}
