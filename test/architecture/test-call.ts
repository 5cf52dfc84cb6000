/** Finds calls of the test runner in a test file: `it.concurrent.only('…', { retry: 2 }, …)` is one chain. */
import type { SourceFile } from './source-file.ts';
import { childrenOf, memberName, stringOf } from './syntax.ts';
import type { Node, Visit } from './syntax.ts';

export interface TestCall {
  /** The words after the dots, each with the node that holds it. */
  readonly modifiers: readonly { readonly name: string; readonly node: Node }[];
  /** The arguments of every call in the chain: `it.each(table)('…', body)` has two. */
  readonly args: readonly Node[];
}

const runners = new Set(['describe', 'it', 'suite', 'test']);

export function findTestCalls(file: SourceFile): readonly TestCall[] {
  return file
    .visitsOf('Identifier')
    .filter(({ node }) => runners.has(stringOf(node, 'name') ?? ''))
    .map(climb);
}

function climb(visit: Visit): TestCall {
  const modifiers: { name: string; node: Node }[] = [];
  const args: Node[] = [];
  for (let { key, parent } = visit; parent !== undefined; { key, parent } = parent) {
    const { node } = parent;
    if (node.type === 'MemberExpression' && key === 'object')
      modifiers.push({ name: memberName(node) ?? '', node });
    else if (node.type === 'CallExpression' && key === 'callee') args.push(...childrenOf(node, 'arguments'));
    else break;
  }
  return { modifiers, args };
}
