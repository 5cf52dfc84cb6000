/**
 * Bounds the cost of a rule on a value before the evaluation: nested loops take the length of a list to the power of
 * their depth. The real server counts during the evaluation; the library here cannot be interrupted.
 */
import type { CelValue } from './cel-value.ts';
import { splitRule } from './rule-texts.ts';

/** Steps of the loops of one rule: well below a second. */
const stepsMax = 5_000_000;
const parts = /\.\s*(?:all|exists|exists_one|existsOne|map|filter)\s*\(|\bin\b|==|!=|[()]/g;

/** The depth of nested loops. Comparisons and membership tests count as loops. */
export function loopDepth(rule: string): number {
  const open: boolean[] = [];
  let [depth, deepest] = [0, 0];
  for (const [part] of codeOf(rule).matchAll(parts)) {
    if (part === ')') depth -= open.pop() === true ? 1 : 0;
    else if (part.endsWith('(')) {
      open.push(part !== '(');
      depth += part === '(' ? 0 : 1;
    }
    deepest = Math.max(deepest, depth + (part === 'in' && depth > 0 ? 1 : 0));
  }
  return deepest;
}

function codeOf(rule: string): string {
  return splitRule(rule)
    .map(({ isCode, text }) => (isCode ? text : '""'))
    .join('');
}

/** Whether the loops of a rule could take more steps on this value than any rule may. */
export function isTooDear(depth: number, value: CelValue | undefined): boolean {
  if (depth < 2 || value === undefined) return false;
  const { all, longest } = sizeOf(value);
  return all * longest ** (depth - 1) > stepsMax;
}

interface Size {
  /** Values of any kind. */
  readonly all: number;
  /** The length of the longest list or map. */
  readonly longest: number;
}

function sizeOf(value: CelValue): Size {
  let [all, longest] = [0, 0];
  const open: CelValue[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    all += 1;
    const inner = one instanceof Map ? [...one.values()] : Array.isArray(one) ? one : [];
    longest = Math.max(longest, inner.length);
    for (const item of inner) open.push(item);
  }
  return { all, longest };
}
