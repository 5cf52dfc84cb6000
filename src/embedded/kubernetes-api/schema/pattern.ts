/**
 * The keyword `pattern`, with our own engine: the patterns of the real server have another syntax than JavaScript, and
 * a match must take linear time.
 */
import { compilePattern, PatternError, type Program } from './pattern-program.ts';
import { matchesProgram } from './pattern-match.ts';

/** The limit of instructions times characters. Beyond it a value is rejected, unlike on the real server. */
const patternStepsMax = 5_000_000;

const compiledMax = 1_000;
const compiled = new Map<string, Program>();

/** The syntax error of a pattern, or undefined. */
export function patternSyntaxFault(pattern: string): string | undefined {
  try {
    programOf(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/** The error of a value, or undefined. */
export function patternFault(pattern: string, value: string): string | undefined {
  const outcome = patternMatches(pattern, value);
  if (typeof outcome === 'object') return outcome.fault;
  return outcome ? undefined : `should match '${pattern}'`;
}

/** Whether the value matches, or why that cannot be decided. */
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
