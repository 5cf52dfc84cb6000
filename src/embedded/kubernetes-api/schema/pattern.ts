/**
 * The keyword `pattern`. Patterns are read and run here instead of by the engine of the language: the real server's
 * patterns are a different language, and a match must take time in proportion to the text, whatever the pattern.
 */
import { compilePattern, PatternError, type Program } from './pattern-program.ts';
import { matchesProgram } from './pattern-match.ts';

/** Instructions times characters. A value past this is refused, which the real server would not do. */
const patternStepsMax = 5_000_000;

const compiledMax = 1_000;
const compiled = new Map<string, Program>();

/** Why this is no pattern, or undefined. */
export function patternSyntaxFault(pattern: string): string | undefined {
  try {
    programOf(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/** What a value does wrong, or undefined. */
export function patternFault(pattern: string, value: string): string | undefined {
  const outcome = patternMatches(pattern, value);
  if (typeof outcome === 'object') return outcome.fault;
  return outcome ? undefined : `should match '${pattern}'`;
}

/** Whether it matches, or why nobody can tell. */
export function patternMatches(pattern: string, value: string): boolean | { readonly fault: string } {
  const syntaxFault = patternSyntaxFault(pattern);
  if (syntaxFault !== undefined)
    return { fault: `should match '${pattern}', but pattern is invalid: ${syntaxFault}` };
  const program = programOf(pattern);
  if (program.length * value.length > patternStepsMax)
    return { fault: `is too long to be matched with '${pattern}'` };
  return matchesProgram(program, value);
}

function programOf(pattern: string): Program {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const program = compilePattern(pattern);
  if (compiled.size >= compiledMax) compiled.clear();
  compiled.set(pattern, program);
  return program;
}
