/** A failure is never dropped in silence: not in a catch block, and not in the handler of a promise. */
import type { Rule } from '../finding.ts';
import { childOf, childrenOf, isFunctionExpression, memberName, stringOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';

const remedy =
  'Handle the failure, add context and rethrow it, or return it as a value; a comment is not enough';

export const emptyCatch: Rule = {
  id: 'empty-catch',
  *check(tree) {
    for (const file of tree.files) {
      for (const { node } of file.visitsOf('CatchClause')) {
        if (!hasNoEffect(childOf(node, 'body'))) continue;
        yield { file: file.path, line: file.lineOf(node), wrong: 'has an empty catch block', remedy };
      }
      for (const handler of file.visitsOf('CallExpression').flatMap(({ node }) => idleHandler(node) ?? [])) {
        yield {
          file: file.path,
          line: file.lineOf(handler),
          wrong: 'swallows the rejection of a promise',
          remedy,
        };
      }
    }
  },
};

function idleHandler(call: Node): Node | undefined {
  const [first, second] = childrenOf(call, 'arguments');
  const method = memberName(childOf(call, 'callee'));
  if (method === 'catch')
    return isFunctionExpression(first) && hasNoEffect(childOf(first, 'body')) ? first : undefined;
  return method === 'then' && isEmptyFunction(second) ? second : undefined;
}

/** Stricter than for `.catch`: `.then(() => path, () => undefined)` turns a failure into a value. */
function isEmptyFunction(node: Node | undefined): boolean {
  const body = isFunctionExpression(node) ? childOf(node, 'body') : undefined;
  return body?.type === 'BlockStatement' && hasNoEffect(body);
}

function hasNoEffect(node: Node | undefined): boolean {
  return node !== undefined && doesNothing(node);
}

function doesNothing(node: Node): boolean {
  switch (node.type) {
    case 'BlockStatement':
      return childrenOf(node, 'body').every(doesNothing);
    case 'EmptyStatement':
      return true;
    case 'ReturnStatement':
      return node['argument'] === null || hasNoEffect(childOf(node, 'argument'));
    case 'Identifier':
      return stringOf(node, 'name') === 'undefined';
    case 'UnaryExpression':
      return stringOf(node, 'operator') === 'void' && childOf(node, 'argument')?.type === 'Literal';
    default:
      return false;
  }
}
