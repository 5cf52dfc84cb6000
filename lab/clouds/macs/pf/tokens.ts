/** Cuts a configuration of pf into statements, and these into words. */

export interface Statement {
  readonly line: number;
  readonly words: readonly string[];
}

export class SyntaxFault extends Error {
  readonly line: number;

  constructor(line: number, message = 'syntax error') {
    super(message);
    this.line = line;
  }
}

const wordPattern = /"[^"]*"|<[A-Za-z_][\w.-]*>|<>|><|!=|<=|>=|[{}(),!=<>]|[^\s{}(),!="<>]+/g;

/** A statement ends with its line, unless the line ends in a backslash or inside braces. */
export function statementsOf(text: string): readonly Statement[] {
  const found: Statement[] = [];
  let open: { line: number; text: string } | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = withoutComment(raw);
    open = open === undefined ? { line: index + 1, text: line } : { ...open, text: `${open.text} ${line}` };
    if (open.text.endsWith('\\')) open.text = open.text.slice(0, -1);
    else if (depthOf(open.text) <= 0) {
      const words = wordsOf(open.text, open.line);
      if (words.length > 0) found.push({ line: open.line, words });
      open = undefined;
    }
  }
  if (open !== undefined && open.text.trim() !== '') throw new SyntaxFault(open.line);
  return found;
}

function withoutComment(line: string): string {
  const [code = ''] = /^(?:"[^"]*"|[^#"])*/.exec(line) ?? [];
  const quoteIsOpen = line[code.length] === '"';
  return (quoteIsOpen ? line : code).trimEnd();
}

function depthOf(text: string): number {
  return text.split('{').length - text.split('}').length;
}

function wordsOf(text: string, line: number): readonly string[] {
  if (text.replaceAll(wordPattern, '').trim() !== '') throw new SyntaxFault(line);
  return text.match(wordPattern) ?? [];
}

/** The words of one statement, from left to right. */
export class Words {
  readonly line: number;
  readonly #words: readonly string[];
  #at = 0;

  constructor({ line, words }: Statement) {
    this.line = line;
    this.#words = words;
  }

  get next(): string | undefined {
    return this.#words[this.#at];
  }

  take(): string {
    const { next } = this;
    if (next === undefined) throw this.fault();
    this.#at += 1;
    return next;
  }

  /** Takes the next word if it is one of these. */
  accept<Word extends string>(...wanted: readonly Word[]): Word | undefined {
    const found = wanted.find((word) => word === this.next);
    if (found !== undefined) this.#at += 1;
    return found;
  }

  expect(wanted: string): void {
    if (this.take() !== wanted) throw this.fault();
  }

  /** One item, or some in braces. */
  list<T>(item: () => T): readonly T[] {
    if (this.accept('{') === undefined) return [item()];
    const found: T[] = [];
    while (this.accept('}') === undefined) {
      found.push(item());
      this.accept(',');
    }
    return found;
  }

  rest(): string {
    const words = this.#words.slice(this.#at);
    this.#at = this.#words.length;
    return words.join(' ');
  }

  end(): void {
    if (this.next !== undefined) throw this.fault();
  }

  fault(message?: string): SyntaxFault {
    return new SyntaxFault(this.line, message);
  }
}

export function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/, '$1');
}
