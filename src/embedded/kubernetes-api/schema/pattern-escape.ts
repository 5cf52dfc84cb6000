/** Escapes in a pattern, and the resulting character tests. */

export type CodePointTest = (point: number) => boolean;

export interface Cursor {
  rest: string;
}

export class PatternError extends Error {
  constructor(what: string) {
    super(`error parsing regexp: ${what}`);
    this.name = 'PatternError';
  }
}

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const pointMax = 0x10ffff;

const isDigit: CodePointTest = (point) => point >= 48 && point <= 57;
const isSpace: CodePointTest = (point) =>
  point === 32 || point === 9 || point === 10 || point === 12 || point === 13;

export const isWord: CodePointTest = (point) =>
  isDigit(point) || point === 95 || (point >= 65 && point <= 90) || (point >= 97 && point <= 122);

/** Reads one escape at the cursor: a class such as `\d`, or one character. */
export function readEscape(cursor: Cursor, ignoresCase: boolean): CodePointTest {
  const named = readNamedClass(cursor);
  if (named !== undefined) return foldedTest(named, ignoresCase);
  const wanted = readEscapedPoint(cursor);
  return foldedTest((point) => point === wanted, ignoresCase);
}

export function readNamedClass(cursor: Cursor): CodePointTest | undefined {
  const perl = /^\\[dDsSwW]/.exec(cursor.rest)?.[0];
  if (perl !== undefined) {
    cursor.rest = cursor.rest.slice(perl.length);
    const letter = perl.slice(1);
    const test = { d: isDigit, s: isSpace, w: isWord }[letter.toLowerCase()] ?? isDigit;
    return letter === letter.toLowerCase() ? test : (point) => !test(point);
  }
  const unicode = /^\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))/.exec(cursor.rest);
  if (unicode === null) return undefined;
  cursor.rest = cursor.rest.slice(unicode[0].length);
  const [, letter, not = '', long, short] = unicode;
  const test = unicodeTest(long ?? short ?? '');
  return (letter === 'P') === (not === '') ? (point) => !test(point) : test;
}

function unicodeTest(name: string): CodePointTest {
  if (name === 'Any') return () => true;
  const expression = categoryOrScript(name);
  return (point) => expression.test(String.fromCodePoint(point));
}

/** Short names are categories, long ones are scripts. */
function categoryOrScript(name: string): RegExp {
  try {
    return new RegExp(/^[A-Z][a-z]?$/.test(name) ? `^\\p{${name}}$` : `^\\p{Script=${name}}$`, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) throw new PatternError(`invalid character class range: ${name}`);
    throw error;
  }
}

export function readEscapedPoint(cursor: Cursor): number {
  const found =
    /^\\(?:x\{([0-9a-f]+)\}|x([0-9a-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2})|([afnrtv])|([!-/:-@[-`{-~ ]))/i.exec(
      cursor.rest,
    );
  if (found === null) throw new PatternError(`invalid escape sequence: ${cursor.rest.slice(0, 2)}`);
  cursor.rest = cursor.rest.slice(found[0].length);
  const [, long, short, octal, control, literal = ''] = found;
  const point = pointOf({ hexadecimal: long ?? short, octal, control, literal });
  if (point === undefined || point > pointMax) throw new PatternError(`invalid escape sequence: ${found[0]}`);
  return point;
}

function pointOf(written: {
  readonly hexadecimal: string | undefined;
  readonly octal: string | undefined;
  readonly control: string | undefined;
  readonly literal: string;
}): number | undefined {
  if (written.hexadecimal !== undefined) return Number.parseInt(written.hexadecimal, 16);
  if (written.octal !== undefined) return Number.parseInt(written.octal, 8);
  return written.control === undefined ? written.literal.codePointAt(0) : controls[written.control];
}

export function foldedTest(test: CodePointTest, ignoresCase: boolean): CodePointTest {
  if (!ignoresCase) return test;
  return (point) => {
    const character = String.fromCodePoint(point);
    return [character, character.toLowerCase(), character.toUpperCase()].some((one) =>
      test(one.codePointAt(0) ?? -1),
    );
  };
}
