/**
 * Finds where a module touches globals and Node's own modules, as dotted paths: `Date.now`, `crypto.randomUUID`.
 * Sees through `globalThis.`, `['now']`, destructuring, and names imported from node:crypto, process, perf_hooks
 * and timers. Does not follow a global that was first stored in a variable or handed to a function.
 */
import { memberChain, wrappers } from './member-chain.ts';
import { declaringScope } from './scope.ts';
import type { SourceFile } from './source-file.ts';
import { childOf, childrenOf, stringOf } from './syntax.ts';
import type { Node, Visit } from './syntax.ts';

export interface GlobalUse {
  readonly line: number;
  /** The first name as written, which distinguishes `globalThis.process` from `process`. */
  readonly root: string;
  readonly path: string;
  /** The path with its use: `Date()`, `new Date()` without arguments, `new Date(…)`. */
  readonly form: string;
}

/** The names of the object that holds all globals. */
export const globalObjects: ReadonlySet<string> = new Set(['global', 'globalThis']);

/** A banned `crypto.random*` covers `crypto.randomUUID`; a banned `process` covers `process.env`. */
export function isBanned(use: GlobalUse, banned: readonly string[]): boolean {
  return banned.some(
    (ban) =>
      ban === use.form ||
      ban === use.path ||
      use.path.startsWith(`${ban}.`) ||
      (ban.endsWith('*') && use.path.startsWith(ban.slice(0, -1))),
  );
}

export function findGlobalUses(file: SourceFile): readonly GlobalUse[] {
  const aliases = builtinAliases(file);
  return file.visitsOf('Identifier').flatMap((visit) => {
    if (!isValue(visit)) return [];
    const start = globalPath(visit, aliases);
    return start === undefined ? [] : usesFrom(file, visit, start);
  });
}

/** The exports of a Node module under the name of a global; [] when its exports are the globals themselves. */
const builtinRoots: ReadonlyMap<string, readonly string[]> = new Map([
  ['crypto', ['crypto']],
  ['perf_hooks', []],
  ['process', ['process']],
  ['timers', []],
  ['timers/promises', []],
]);

function builtinAliases(file: SourceFile): ReadonlyMap<string, readonly string[]> {
  return new Map(
    file.visitsOf('ImportDeclaration').flatMap(({ node }) => {
      const specifier = stringOf(childOf(node, 'source'), 'value') ?? '';
      const root = builtinRoots.get(specifier.replace(/^node:/, ''));
      return root === undefined ? [] : childrenOf(node, 'specifiers').map((each) => aliasOf(each, root));
    }),
  );
}

function aliasOf(specifier: Node, root: readonly string[]): readonly [string, readonly string[]] {
  const local = stringOf(childOf(specifier, 'local'), 'name') ?? '';
  const imported = stringOf(childOf(specifier, 'imported'), 'name');
  return [local, imported === undefined ? root : [...root, imported]];
}

function globalPath(
  visit: Visit,
  aliases: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const name = stringOf(visit.node, 'name') ?? '';
  const scope = declaringScope(visit, name);
  if (scope === undefined) return globalObjects.has(name) ? [] : [name];
  return scope.type === 'Program' ? aliases.get(name) : undefined;
}

function usesFrom(file: SourceFile, visit: Visit, start: readonly string[]): readonly GlobalUse[] {
  const { members, top } = memberChain(visit);
  const path = [...start, ...members];
  const taken = destructured(top);
  const line = file.lineOf(visit.node);
  const root = stringOf(visit.node, 'name') ?? '';
  return (taken.length === 0 ? [path] : taken.map((name) => [...path, name])).map((names) => ({
    line,
    root,
    path: names.join('.'),
    form: formOf(top, names.join('.')),
  }));
}

function formOf(top: Visit, path: string): string {
  if (top.key !== 'callee' || top.parent === undefined) return path;
  if (top.parent.node.type !== 'NewExpression') return `${path}()`;
  return childrenOf(top.parent.node, 'arguments').length === 0 ? `new ${path}()` : `new ${path}(…)`;
}

/** The names declared by `const { now, random: draw } = …`. */
function destructured(top: Visit): readonly string[] {
  if (top.parent?.node.type !== 'VariableDeclarator' || top.key !== 'init') return [];
  const pattern = childOf(top.parent.node, 'id');
  if (pattern?.type !== 'ObjectPattern') return [];
  return childrenOf(pattern, 'properties').flatMap(
    (property) => stringOf(childOf(property, 'key'), 'name') ?? [],
  );
}

const labels = new Set([
  'BreakStatement',
  'ContinueStatement',
  'ExportSpecifier',
  'ImportDefaultSpecifier',
  'ImportNamespaceSpecifier',
  'ImportSpecifier',
  'LabeledStatement',
]);

/** False for property names, labels, declared names, and everything in a type. */
function isValue({ parent, key }: Visit): boolean {
  if (parent === undefined || labels.has(parent.node.type)) return false;
  if (parent.node.type.startsWith('TS')) return wrappers.has(parent.node.type);
  if (parent.node.type === 'VariableDeclarator' && key === 'id') return false;
  const isName = key === 'key' || (key === 'property' && parent.node.type === 'MemberExpression');
  return !isName || parent.node['computed'] === true;
}
