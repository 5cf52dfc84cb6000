/** Checks of a JSON text without parsing it, in one pass over the text. */

const quote = 34;
const backslash = 92;
const comma = 44;
const openers = new Set([91, 123]);
const closers = new Set([93, 125]);
const brace = 123;

/** Bounds the kept duplicates; the limit is that of the real server. */
const foundMax = 100;
const foundLengthMax = 64 * 1024;

/** The position after a string; the end of the text for an unclosed string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at + 1;
  }
  return text.length;
}

/** Also correct for brackets outside of strings in invalid JSON. */
export function isNestedDeeper(text: string, max: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (openers.has(code)) depth += 1;
    else if (closers.has(code)) depth -= 1;
    if (depth > max) return true;
  }
  return false;
}

interface Level {
  readonly parent: Level | undefined;
  /** Undefined inside a list. */
  readonly keys: Set<string> | undefined;
  index: number;
  /** The key whose value comes next. */
  key: string | undefined;
}

/**
 * Dotted paths of duplicate keys in the objects of a valid JSON text, in order. A JSON parser silently keeps the last
 * value.
 */
export function duplicateKeys(text: string): readonly string[] {
  const search = new DuplicateSearch(text);
  for (let at = 0; at < text.length && !search.isFull; at = search.step(at));
  return search.found;
}

class DuplicateSearch {
  readonly found: string[] = [];
  readonly #text: string;
  #level: Level | undefined;
  #foundLength = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isFull(): boolean {
    return this.found.length >= foundMax || this.#foundLength >= foundLengthMax;
  }

  /** Returns the position after the token at `at`. */
  step(at: number): number {
    const code = this.#text.charCodeAt(at);
    if (code === quote) return this.#string(at);
    if (openers.has(code)) this.#open(code === brace);
    else if (closers.has(code)) this.#level = this.#level?.parent;
    else if (code === comma && this.#level !== undefined) {
      this.#level.index += 1;
      this.#level.key = undefined;
    }
    return at + 1;
  }

  #open(isObject: boolean): void {
    const keys = isObject ? new Set<string>() : undefined;
    this.#level = { parent: this.#level, keys, index: 0, key: undefined };
  }

  #string(at: number): number {
    const end = endOfString(this.#text, at);
    const level = this.#level;
    if (level?.keys !== undefined && level.key === undefined) {
      const key = this.#text.slice(at + 1, end - 1);
      level.key = key.includes('\\') ? String(JSON.parse(`"${key}"`)) : key;
      if (level.keys.has(level.key)) this.#find(pathTo(level));
      level.keys.add(level.key);
    }
    return end;
  }

  #find(path: string): void {
    this.found.push(path);
    this.#foundLength += path.length;
  }
}

function pathTo(level: Level): string {
  const parts: string[] = [];
  for (let one: Level | undefined = level; one !== undefined; one = one.parent)
    parts.push(one.keys === undefined ? `[${one.index}]` : `.${one.key ?? ''}`);
  return parts.toReversed().join('').replace(/^\./, '');
}
