/** Applies the edit of a mutant to the text of a module. */
import { parseAst } from 'rolldown/parseAst';
import { childOf, childrenOf, isNode, walk, type Node } from '../architecture/syntax.ts';
import type { Edit } from './mutant.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

export function applyEdit(text: string, edit: Edit): string {
  const comment = `// mutation: ${edit.at}\n`;
  const at = text.indexOf(comment);
  if (at === -1) throw new Error(`no anchor ${edit.at}`);
  const node = firstNodeAfter(text, at + comment.length);
  if (edit.edit === 'delete') return cut(text, withComma(text, node), '');
  return cut(text, edit.edit === 'replace' ? node : partOf(node, edit), edit.code);
}

/** The outermost statement or element that begins right after the anchor. */
function firstNodeAfter(text: string, from: number): Node {
  const start = from + (text.slice(from).match(/^\s*/)?.[0].length ?? 0);
  const program: unknown = parseAst(text, { lang: 'ts', preserveParens: false });
  const found = isNode(program)
    ? walk(program).find(({ node, parent }) => node.start === start && parent !== undefined)
    : undefined;
  if (found === undefined) throw new Error(`no statement after the anchor at ${from}`);
  return found.node;
}

function partOf(node: Node, { edit, at }: Edit): Span {
  const part =
    edit === 'condition'
      ? childOf(node, 'test')
      : edit === 'return'
        ? childOf(node, 'argument')
        : childrenOf(node, 'declarations')
            .map((declaration) => childOf(declaration, 'init'))
            .at(0);
  if (part === undefined) throw new Error(`the ${node.type} after ${at} has no ${edit}`);
  return part;
}

function withComma(text: string, { start, end }: Span): Span {
  return { start, end: text[end] === ',' ? end + 1 : end };
}

function cut(text: string, { start, end }: Span, code: string): string {
  return `${text.slice(0, start)}${code}${text.slice(end)}`;
}
