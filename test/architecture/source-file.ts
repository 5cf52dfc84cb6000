/**
 * One file of the tree, read and parsed once and shared by all rules.
 * Parser offsets count UTF-16 units, like JavaScript strings, so line numbers are right after any text.
 */
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { isNode, walk } from './syntax.ts';
import type { Node, Visit } from './syntax.ts';

export interface SourceFile {
  /** Relative to the root of the tree, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lineCount: number;
  readonly lineOf: (node: Node) => number;
  readonly visits: readonly Visit[];
  readonly visitsOf: (...types: readonly string[]) => readonly Visit[];
  /** Set when the file is code that does not parse; it then has no visits. */
  readonly syntaxError?: { readonly line: number; readonly reason: string };
}

const languages: ReadonlyMap<string, 'ts' | 'tsx' | 'js' | 'jsx'> = new Map([
  ['.ts', 'ts'],
  ['.mts', 'ts'],
  ['.tsx', 'tsx'],
  ['.js', 'js'],
  ['.mjs', 'js'],
  ['.jsx', 'jsx'],
]);

export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}

export function isModule(path: string): boolean {
  return languages.has(extname(path));
}

export function readSourceFile(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const starts = lineStarts(text);
  const { visits, syntaxError } = parse(path, text);
  const byType = Map.groupBy(visits, (visit) => visit.node.type);
  return {
    path,
    text,
    lineCount: starts.at(-1) === text.length ? starts.length - 1 : starts.length,
    lineOf: (node) => lineAt(starts, node.start),
    visits,
    visitsOf: (...types) => types.flatMap((type) => byType.get(type) ?? []),
    ...(syntaxError !== undefined && { syntaxError }),
  };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), (match) => match.index + 1)];
}

function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

function parse(path: string, text: string): Pick<SourceFile, 'visits' | 'syntaxError'> {
  const lang = languages.get(extname(path));
  if (lang === undefined) return { visits: [] };
  try {
    const program: unknown = parseAst(text, { lang, preserveParens: false }, path);
    return { visits: isNode(program) ? walk(program) : [] };
  } catch (error) {
    return { visits: [], syntaxError: describeError(error) };
  }
}

function describeError(error: unknown): { line: number; reason: string } {
  const [, reason = 'unknown reason'] = String(error).split('\n');
  const location = typeof error === 'object' && error !== null && 'loc' in error ? error.loc : undefined;
  const line = typeof location === 'object' && location !== null && 'line' in location ? location.line : 1;
  return { line: typeof line === 'number' ? line : 1, reason };
}
