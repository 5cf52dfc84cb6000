/** Parses a pattern in RE2 syntax, as Go accepts it, without look-around and back-references. */
import { readClass, type ClassReader } from './pattern-class.ts';
import { foldedTest, PatternError, readEscape, type CodePointTest, type Cursor } from './pattern-escape.ts';

export type Assertion = 'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word-edge' | 'no-word-edge';

export type PatternNode =
  | { readonly kind: 'set'; readonly has: CodePointTest }
  | { readonly kind: 'assertion'; readonly at: Assertion }
  | { readonly kind: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number };

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

const repeatMax = 1_000;
const groupNestingMax = 250;
const newline = 10;

export function parsePattern(pattern: string): PatternNode {
  return new PatternReader(pattern).read();
}

class PatternReader implements ClassReader {
  readonly cursor: Cursor;
  #flags: Flags = { i: false, m: false, s: false };
  #depth = 0;

  constructor(pattern: string) {
    this.cursor = { rest: pattern };
  }

  get ignoresCase(): boolean {
    return this.#flags.i;
  }

  read(): PatternNode {
    const node = this.#choice();
    if (this.cursor.rest !== '') throw new PatternError('unexpected )');
    return node;
  }

  take(expression: RegExp): string | undefined {
    const found = expression.exec(this.cursor.rest)?.[0];
    if (found !== undefined) this.cursor.rest = this.cursor.rest.slice(found.length);
    return found;
  }

  #choice(): PatternNode {
    const nodes = [this.#sequence()];
    while (this.take(/^\|/) !== undefined) nodes.push(this.#sequence());
    return { kind: 'choice', nodes };
  }

  /** Flags between a node and its repetition do not affect the repeated node. */
  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    let isRepeated = false;
    while (this.cursor.rest !== '' && !/^[|)]/.test(this.cursor.rest)) {
      const bounds = this.#bounds();
      if (bounds === undefined) {
        const node = this.#atom();
        if (node !== undefined) nodes.push(node);
      } else {
        nodes.push(repeated(isRepeated ? 'repeated' : nodes.pop(), bounds));
        this.take(/^\?/);
      }
      isRepeated = bounds !== undefined;
    }
    return { kind: 'sequence', nodes };
  }

  #bounds(): Bounds | undefined {
    const simple = this.take(/^[*+?]/);
    if (simple !== undefined) return { min: simple === '+' ? 1 : 0, max: simple === '?' ? 1 : Infinity };
    const braces = this.take(/^\{\d+(,\d*)?\}/);
    return braces === undefined ? undefined : boundsIn(braces);
  }

  /** Undefined where nothing can be repeated: after flags or quoted text. */
  #atom(): PatternNode | undefined {
    const { rest } = this.cursor;
    if (rest.startsWith('(')) return this.#group();
    if (rest.startsWith('[')) return { kind: 'set', has: readClass(this) };
    if (rest.startsWith('\\')) return this.#escaped();
    const [character = ''] = rest;
    this.cursor.rest = rest.slice(character.length);
    return this.#plain(character);
  }

  #plain(character: string): PatternNode {
    const { m, s } = this.#flags;
    switch (character) {
      case '^':
        return { kind: 'assertion', at: m ? 'line-start' : 'text-start' };
      case '$':
        return { kind: 'assertion', at: m ? 'line-end' : 'text-end' };
      case '.':
        return { kind: 'set', has: (point) => s || point !== newline };
      default:
        return this.#literal(character);
    }
  }

  #literal(character: string): PatternNode {
    const wanted = character.codePointAt(0);
    return { kind: 'set', has: foldedTest((point) => point === wanted, this.ignoresCase) };
  }

  #escaped(): PatternNode | undefined {
    const assertion = this.take(/^\\[AzbB]/)?.slice(1);
    if (assertion !== undefined) return { kind: 'assertion', at: assertions[assertion] ?? 'text-start' };
    const quoted = /^\\Q([^]*?)(?:\\E|$)/.exec(this.cursor.rest);
    if (quoted === null) return { kind: 'set', has: readEscape(this.cursor, this.ignoresCase) };
    const plain = (quoted[1] ?? '').replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');
    this.cursor.rest = plain + this.cursor.rest.slice(quoted[0].length);
    return undefined;
  }

  #group(): PatternNode | undefined {
    const outer = this.#flags;
    if (this.#depth >= groupNestingMax) throw new PatternError('expression nests too deeply');
    const flags = this.take(/^\(\?[imsU]*(-[imsU]+)?[:)]/);
    if (flags !== undefined) this.#flags = changedFlags(outer, flags);
    if (flags?.endsWith(')') === true) return undefined;
    if (flags === undefined) this.#openCapture();
    this.#depth += 1;
    const node = this.#choice();
    this.#depth -= 1;
    if (this.take(/^\)/) === undefined) throw new PatternError('missing closing )');
    this.#flags = outer;
    return node;
  }

  #openCapture(): void {
    if (this.take(/^\(\?P?<[A-Za-z0-9_]+>|^\((?!\?)/) === undefined)
      throw new PatternError(`invalid or unsupported Perl syntax: ${this.cursor.rest.slice(0, 4)}`);
  }
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

function repeated(node: PatternNode | 'repeated' | undefined, bounds: Bounds): PatternNode {
  if (node === undefined) throw new PatternError('missing argument to repetition operator');
  if (node === 'repeated') throw new PatternError('invalid nested repetition operator');
  const repeat: PatternNode = { kind: 'repeat', node, ...bounds };
  if (!isWithin(repeat, repeatMax)) throw new PatternError('invalid repeat count');
  return repeat;
}

/** Nested repetitions multiply. */
function isWithin(node: PatternNode, copies: number): boolean {
  if (node.kind === 'sequence' || node.kind === 'choice')
    return node.nodes.every((one) => isWithin(one, copies));
  if (node.kind !== 'repeat') return true;
  const times = node.max === Infinity ? node.min : node.max;
  return times <= copies && isWithin(node.node, times > 0 ? Math.floor(copies / times) : copies);
}

/** The bounds of `{2}`, `{2,}` or `{2,5}`. */
function boundsIn(braces: string): Bounds {
  const [least = '', most = least] = braces.slice(1, -1).split(',');
  const [min, max] = [Number(least), most === '' ? Infinity : Number(most)];
  if (min > max || [min, max].some((count) => count > repeatMax && count !== Infinity))
    throw new PatternError(`invalid repeat count: ${braces}`);
  return { min, max };
}

const assertions: Readonly<Record<string, Assertion>> = {
  A: 'text-start',
  z: 'text-end',
  b: 'word-edge',
  B: 'no-word-edge',
};

/** Greediness does not affect whether there is a match, so its flag is ignored. */
function changedFlags(before: Flags, written: string): Flags {
  const [on = '', off = ''] = written.slice(2, -1).split('-');
  const after = (flag: 'i' | 'm' | 's'): boolean =>
    (before[flag] || on.includes(flag)) && !off.includes(flag);
  return { i: after('i'), m: after('m'), s: after('s') };
}
