/** Climbs from a name to the whole of `a.b.c` around it, through assertions and `?.`, and returns the chain. */
import { memberName } from './syntax.ts';
import type { Visit } from './syntax.ts';

export interface MemberChain {
  /** The names after the first; `?` for one that is computed at run time. */
  readonly members: readonly string[];
  /** The outermost node of the chain. */
  readonly top: Visit;
}

/** Wrappers of a value that do not change the value. */
export const wrappers: ReadonlySet<string> = new Set([
  'ChainExpression',
  'TSAsExpression',
  'TSInstantiationExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
]);

export function memberChain(start: Visit): MemberChain {
  const members: string[] = [];
  let top = start;
  for (let { parent } = top; parent !== undefined; { parent } = top) {
    if (isMemberOf(top, parent)) members.push(memberName(parent.node) ?? '?');
    else if (!wrappers.has(parent.node.type)) break;
    top = parent;
  }
  return { members, top };
}

function isMemberOf(visit: Visit, parent: Visit): boolean {
  return parent.node.type === 'MemberExpression' && visit.key === 'object';
}
