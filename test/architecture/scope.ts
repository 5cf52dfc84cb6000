/**
 * Distinguishes a global from a local of the same name: `setTimeout` the parameter is not `setTimeout` the timer.
 * Follows blocks, functions, loops, catch clauses, classes and imports. `var` counts for its block only; lint forbids it.
 */
import { childOf, childrenOf, stringOf } from './syntax.ts';
import type { Node, Visit } from './syntax.ts';

const namesByScope = new WeakMap<Node, ReadonlySet<string>>();

/** The innermost node around `visit` that declares `name`; undefined for a global. */
export function declaringScope(visit: Visit, name: string): Node | undefined {
  for (let around = visit.parent; around !== undefined; around = around.parent) {
    if (namesIn(around.node).has(name)) return around.node;
  }
  return undefined;
}

function namesIn(scope: Node): ReadonlySet<string> {
  const known = namesByScope.get(scope);
  if (known !== undefined) return known;
  const names = new Set(partsOf(scope, scopeParts).flatMap(namesOf));
  namesByScope.set(scope, names);
  return names;
}

/** The field of a scope node that holds its declarations. */
const scopeParts: Readonly<Record<string, readonly string[]>> = {
  ArrowFunctionExpression: ['params'],
  BlockStatement: ['body'],
  CatchClause: ['param'],
  ClassExpression: ['id'],
  ForInStatement: ['left'],
  ForOfStatement: ['left'],
  ForStatement: ['init'],
  FunctionDeclaration: ['params'],
  FunctionExpression: ['id', 'params'],
  Program: ['body'],
  StaticBlock: ['body'],
  SwitchStatement: ['cases'],
};

/** The field of a declaration or a pattern that holds its names. */
const namingParts: Readonly<Record<string, readonly string[]>> = {
  ArrayPattern: ['elements'],
  AssignmentPattern: ['left'],
  ClassDeclaration: ['id'],
  ExportDefaultDeclaration: ['declaration'],
  ExportNamedDeclaration: ['declaration'],
  FunctionDeclaration: ['id'],
  ImportDeclaration: ['specifiers'],
  ImportDefaultSpecifier: ['local'],
  ImportNamespaceSpecifier: ['local'],
  ImportSpecifier: ['local'],
  ObjectPattern: ['properties'],
  Property: ['value'],
  RestElement: ['argument'],
  SwitchCase: ['consequent'],
  VariableDeclaration: ['declarations'],
  VariableDeclarator: ['id'],
};

function namesOf(node: Node): readonly string[] {
  if (node.type === 'Identifier') return [stringOf(node, 'name') ?? []].flat();
  // `declare const setTimeout` only restates the type of the global.
  if (node['declare'] === true) return [];
  return partsOf(node, namingParts).flatMap(namesOf);
}

function partsOf(node: Node, parts: Readonly<Record<string, readonly string[]>>): readonly Node[] {
  return (parts[node.type] ?? []).flatMap((key) => childOf(node, key) ?? childrenOf(node, key));
}
