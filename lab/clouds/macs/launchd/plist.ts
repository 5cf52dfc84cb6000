/** Reads property lists in XML, strictly: a value that was not escaped is an error, as it is for launchd. */

export type PlistValue =
  | string
  | number
  | boolean
  | readonly PlistValue[]
  | { readonly [key: string]: PlistValue };

interface Tag {
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
}

type Token = Tag | string;

export function parsePlist(text: string): PlistValue {
  const reader = new Reader(tokensOf(text));
  reader.expect('plist', 'open');
  const value = reader.value(reader.tag());
  reader.expect('plist', 'close');
  return value;
}

/** Whitespace between tags is no token. */
function tokensOf(text: string): readonly Token[] {
  const found: Token[] = [];
  const pattern =
    /<\?[^]*?\?>|<!--[^]*?-->|<!DOCTYPE[^>]*>|<(\/?)([A-Za-z]+)(?:\s[^<>]*?)?(\/?)>|([^<]+)|(<)/gy;
  for (const [, slash, name, empty, content, broken] of text.matchAll(pattern)) {
    if (broken !== undefined) throw new Error('unexpected < in a property list');
    if (name !== undefined)
      found.push({ name, kind: slash === '/' ? 'close' : empty === '/' ? 'empty' : 'open' });
    else if (content !== undefined && content.trim() !== '') found.push(unescaped(content));
  }
  return found;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&(#?\w+;)?/g, (whole, name: string = '') => {
    const [, x, digits] = /^#(x?)([0-9a-fA-F]+);$/.exec(name) ?? [];
    if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, x === 'x' ? 16 : 10));
    const character = entities[name.slice(0, -1)];
    if (character === undefined) throw new Error(`unknown entity in a property list: ${whole}`);
    return character;
  });
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  tag(): Tag {
    const token = this.#tokens[this.#at];
    if (token === undefined || typeof token === 'string')
      throw new Error(`a tag is missing in a property list, before: ${token ?? 'the end'}`);
    this.#at += 1;
    return token;
  }

  expect(name: string, kind: Tag['kind']): void {
    const tag = this.tag();
    if (tag.name !== name || tag.kind !== kind)
      throw new Error(`a property list has ${tag.kind} ${tag.name} in the place of ${kind} ${name}`);
  }

  value({ name, kind }: Tag): PlistValue {
    if (kind === 'close') throw new Error(`a value is missing before the end of ${name}`);
    if (kind === 'empty') return emptyValue(name);
    if (name === 'dict') return this.#dictionary();
    if (name === 'array') return this.#array();
    const text = this.#text();
    this.expect(name, 'close');
    return scalar(name, text);
  }

  #text(): string {
    const token = this.#tokens[this.#at];
    if (typeof token !== 'string') return '';
    this.#at += 1;
    return token;
  }

  #dictionary(): PlistValue {
    const found: Record<string, PlistValue> = {};
    for (let tag = this.tag(); tag.kind !== 'close'; tag = this.tag()) {
      if (tag.name !== 'key') throw new Error(`a key is missing before ${tag.name}`);
      const key = this.#text();
      this.expect('key', 'close');
      found[key] = this.value(this.tag());
    }
    return found;
  }

  #array(): PlistValue {
    const found: PlistValue[] = [];
    for (let tag = this.tag(); tag.kind !== 'close'; tag = this.tag()) found.push(this.value(tag));
    return found;
  }
}

function emptyValue(name: string): PlistValue {
  const values: Readonly<Record<string, PlistValue>> = {
    true: true,
    false: false,
    string: '',
    dict: {},
    array: [],
  };
  const value = values[name];
  if (value === undefined) throw new Error(`an empty ${name} in a property list`);
  return value;
}

function scalar(name: string, text: string): PlistValue {
  if (name === 'string' || name === 'date' || name === 'data') return text;
  const number = Number(text.trim());
  if ((name !== 'integer' && name !== 'real') || text.trim() === '' || Number.isNaN(number))
    throw new Error(`no ${name} for a property list: ${text}`);
  return number;
}
