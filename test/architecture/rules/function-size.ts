/** A function fits on a screen. Tests are exempt, and so is a function that only returns a table. */
import type { Rule } from '../finding.ts';
import { isTest } from '../source-file.ts';
import { childOf, childrenOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';

const linesMax = 50;

export const functionSize: Rule = {
  id: 'function-size',
  *check(tree) {
    for (const file of tree.files.filter(({ path }) => !isTest(path))) {
      for (const { node } of file.visitsOf(
        'FunctionDeclaration',
        'FunctionExpression',
        'ArrowFunctionExpression',
      )) {
        const lines = file.text.slice(node.start, node.end).split('\n').length;
        if (lines <= linesMax || isTable(node)) continue;
        const wrong = `has a function of ${lines} lines, more than ${linesMax}`;
        yield {
          file: file.path,
          line: file.lineOf(node),
          wrong,
          remedy: 'Split it into steps that each have a name',
        };
      }
    }
  },
};

function isTable(node: Node): boolean {
  const body = childOf(node, 'body');
  if (body?.type !== 'BlockStatement') return isLiteral(body);
  const [only, ...more] = childrenOf(body, 'body');
  return more.length === 0 && only?.type === 'ReturnStatement' && isLiteral(childOf(only, 'argument'));
}

function isLiteral(node: Node | undefined): boolean {
  if (node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression') {
    return isLiteral(childOf(node, 'expression'));
  }
  return node?.type === 'ObjectExpression' || node?.type === 'ArrayExpression';
}
