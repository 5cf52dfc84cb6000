/** Compiles a pattern to instructions for `pattern-match.ts`. */
import type { CodePointTest } from './pattern-escape.ts';
import { PatternError } from './pattern-escape.ts';
import { parsePattern, type Assertion, type PatternNode } from './pattern-syntax.ts';

export { PatternError } from './pattern-escape.ts';

export type Instruction =
  | { readonly kind: 'set'; readonly has: CodePointTest; readonly next: number }
  | { readonly kind: 'assertion'; readonly at: Assertion; readonly next: number }
  | { readonly kind: 'split'; readonly next: readonly number[] };

/** Execution starts at the last instruction; the target `matched` means a match. */
export type Program = readonly Instruction[];

export const matched = -1;

/** Far above any sensible pattern; the real server's own limit is higher still. */
const programMax = 20_000;

/** Throws `PatternError`. */
export function compilePattern(pattern: string): Program {
  const program: Instruction[] = [];
  const entry = emit(program, parsePattern(pattern), matched);
  append(program, { kind: 'split', next: [entry] });
  return program;
}

/** Adds the instructions that match `node` and continue at `next`; returns their start. */
function emit(program: Instruction[], node: PatternNode, next: number): number {
  switch (node.kind) {
    case 'set':
      return append(program, { kind: 'set', has: node.has, next });
    case 'assertion':
      return append(program, { kind: 'assertion', at: node.at, next });
    case 'sequence':
      return node.nodes.reduceRight((after, one) => emit(program, one, after), next);
    case 'choice': {
      const branches = node.nodes.map((one) => emit(program, one, next));
      return append(program, { kind: 'split', next: branches });
    }
    case 'repeat':
      return emitRepeat(program, node, next);
  }
}

function emitRepeat(
  program: Instruction[],
  { node, min, max }: Extract<PatternNode, { kind: 'repeat' }>,
  next: number,
): number {
  let entry = next;
  if (max === Infinity) {
    const loop = [next];
    entry = append(program, { kind: 'split', next: loop });
    loop.push(emit(program, node, entry));
  } else {
    for (let more = min; more < max; more += 1)
      entry = append(program, { kind: 'split', next: [next, emit(program, node, entry)] });
  }
  for (let copy = 0; copy < min; copy += 1) entry = emit(program, node, entry);
  return entry;
}

function append(program: Instruction[], instruction: Instruction): number {
  if (program.length >= programMax) throw new PatternError('expression too large');
  return program.push(instruction) - 1;
}
