/** No failure is dropped in silence: neither in a catch block, nor in the handler of a promise. */
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
  if (method === 'catch') return isIdle(first) ? first : undefined;
  if (method !== 'then' || !isIdle(second)) return undefined;
  return givesValue(first) && !hasBlock(second) ? undefined : second;
}

function isIdle(handler: Node | undefined): handler is Node {
  return isFunctionExpression(handler) && hasNoEffect(childOf(handler, 'body'));
}

/**
 * `.then(() => path, () => undefined)` turns a failure into a value; without the first handler it only drops the
 * failure.
 */
function givesValue(handler: Node | undefined): boolean {
  return handler?.['raw'] !== 'null' && !hasNoEffect(handler) && !isIdle(handler);
}

function hasBlock(handler: Node): boolean {
  return childOf(handler, 'body')?.type === 'BlockStatement';
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
