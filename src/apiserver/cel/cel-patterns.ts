/**
 * `matches` in rules runs on the same patterns as the keyword `pattern`: the engine of the language knows another sort,
 * and a text of thirty characters can keep it busy for minutes.
 */
import { patternMatches } from '../schema/pattern.ts';

/** Texts and comments, in which nothing is to be exchanged, or the call. */
const tokens =
  /(?<untouched>\/\/[^\n]*|[rR]?"""[\s\S]*?"""|[rR]?'''[\s\S]*?'''|[rR]"[^"]*"|[rR]'[^']*'|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\.\s*matches\s*\(/g;

/** The library does not let a function of its own be replaced, so rules are made to call another. */
export function withOwnPatterns(rule: string): string {
  return rule.replaceAll(
    tokens,
    (all, untouched?: string) => untouched ?? all.replace('matches', 'matchesPattern'),
  );
}

/** Throws what the rule is then said to have failed with. */
export function matchesPattern(text: string, pattern: string): boolean {
  const outcome = patternMatches(pattern, text);
  if (typeof outcome === 'boolean') return outcome;
  throw new Error(outcome.fault);
}
