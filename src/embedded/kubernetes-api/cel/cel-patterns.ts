/**
 * `matches` in rules runs on the same patterns as the keyword `pattern`: the engine of the language knows another sort,
 * and a text of thirty characters can keep it busy for minutes.
 */
import { patternMatches } from '../schema/pattern.ts';
import { splitRule } from './rule-texts.ts';

const call = /\.\s*matches\s*\(/g;

/** The library does not let a function of its own be replaced, so rules are made to call another. */
export function withOwnPatterns(rule: string): string {
  return splitRule(rule)
    .map(({ isCode, text }) =>
      isCode ? text.replaceAll(call, (found) => found.replace('matches', 'matchesPattern')) : text,
    )
    .join('');
}

/** Throws what the rule is then said to have failed with. */
export function matchesPattern(text: string, pattern: string): boolean {
  const outcome = patternMatches(pattern, text);
  if (typeof outcome === 'boolean') return outcome;
  throw new Error(outcome.fault);
}
