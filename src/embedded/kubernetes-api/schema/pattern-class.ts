/** Bracket expressions of a pattern, such as `[a-z\d[:punct:]]`. */
import {
  foldedTest,
  PatternError,
  readEscapedPoint,
  readNamedClass,
  type CodePointTest,
  type Cursor,
} from './pattern-escape.ts';

export interface ClassReader {
  readonly cursor: Cursor;
  readonly ignoresCase: boolean;
  take(expression: RegExp): string | undefined;
}

const posix: Readonly<Record<string, RegExp | undefined>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  ascii: /\p{ASCII}/u,
  blank: /[\t ]/,
  cntrl: /[\p{ASCII}&&\p{Cc}]/v,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t\n\v\f\r ]/,
  upper: /[A-Z]/,
  word: /[0-9A-Za-z_]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** Reads the expression at the cursor, which is at its bracket. */
export function readClass(reader: ClassReader): CodePointTest {
  const isNegated = reader.take(/^\[\^?/) === '[^';
  const tests: CodePointTest[] = [];
  // A leading closing bracket is literal.
  while (tests.length === 0 || !reader.cursor.rest.startsWith(']')) {
    if (reader.cursor.rest === '') throw new PatternError('missing closing ]');
    tests.push(readPosix(reader) ?? readNamedClass(reader.cursor) ?? readRange(reader));
  }
  reader.take(/^\]/);
  const has = foldedTest((point) => tests.some((test) => test(point)), reader.ignoresCase);
  return isNegated ? (point) => !has(point) : has;
}

function readPosix(reader: ClassReader): CodePointTest | undefined {
  const written = reader.take(/^\[:\^?[a-z]+:\]/);
  if (written === undefined) return undefined;
  const name = written.replaceAll(/[^a-z]/g, '');
  const expression = Object.hasOwn(posix, name) ? posix[name] : undefined;
  if (expression === undefined) throw new PatternError(`invalid character class range: ${written}`);
  const isNegated = written.startsWith('[:^');
  return (point) => expression.test(String.fromCodePoint(point)) !== isNegated;
}

function readRange(reader: ClassReader): CodePointTest {
  const low = readPoint(reader);
  if (reader.take(/^-(?!\]|$)/) === undefined) return (point) => point === low;
  const high = readPoint(reader);
  if (high < low) throw new PatternError('invalid character class range');
  return (point) => point >= low && point <= high;
}

function readPoint({ cursor }: ClassReader): number {
  if (cursor.rest.startsWith('\\')) return readEscapedPoint(cursor);
  const point = cursor.rest.codePointAt(0);
  if (point === undefined) throw new PatternError('missing closing ]');
  cursor.rest = cursor.rest.slice(String.fromCodePoint(point).length);
  return point;
}
