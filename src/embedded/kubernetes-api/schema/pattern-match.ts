/**
 * Runs a program over a text on all paths at once. The time is at most the length of the text times the length of the
 * program, for every pattern.
 */
import { isWord } from './pattern-escape.ts';
import { matched, type Program } from './pattern-program.ts';
import type { Assertion } from './pattern-syntax.ts';

const none = -1;
const newline = 10;

/** Whether the pattern matches anywhere in the text. */
export function matchesProgram(program: Program, text: string): boolean {
  let before = none;
  let waiting: readonly number[] = [];
  const points = Array.from(text, (character) => character.codePointAt(0) ?? none);
  for (const point of [...points, none]) {
    const reached = reach(program, [...waiting, program.length - 1], { before, after: point });
    if (reached === 'matched') return true;
    waiting = reached.flatMap((index) => {
      const instruction = program[index];
      return instruction?.kind === 'set' && point !== none && instruction.has(point)
        ? [instruction.next]
        : [];
    });
    before = point;
  }
  return false;
}

interface Edge {
  readonly before: number;
  readonly after: number;
}

/** The instructions that need a character, reachable from `starts` without consuming one. */
function reach(program: Program, starts: readonly number[], edge: Edge): readonly number[] | 'matched' {
  const seen = new Set<number>();
  const open = [...starts];
  const reached: number[] = [];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (index === matched) return 'matched';
    const instruction = program[index];
    if (instruction === undefined || seen.has(index)) continue;
    seen.add(index);
    if (instruction.kind === 'set') reached.push(index);
    else if (instruction.kind === 'split') open.push(...instruction.next);
    else if (holds(instruction.at, edge)) open.push(instruction.next);
  }
  return reached;
}

function holds(assertion: Assertion, { before, after }: Edge): boolean {
  switch (assertion) {
    case 'text-start':
      return before === none;
    case 'text-end':
      return after === none;
    case 'line-start':
      return before === none || before === newline;
    case 'line-end':
      return after === none || after === newline;
    case 'word-edge':
      return isWord(before) !== isWord(after);
    case 'no-word-edge':
      return isWord(before) === isWord(after);
  }
}
