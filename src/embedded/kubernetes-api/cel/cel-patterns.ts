/**
 * Runs `matches` of rules on the engine of the keyword `pattern`. The engine of the CEL library has another syntax, and
 * thirty characters can keep it busy for minutes.
 */
import { patternMatches } from '../schema/pattern.ts';
import { splitRule } from './rule-texts.ts';

const call = /\.\s*matches\s*\(/g;

/** The library does not allow replacing a built-in function, so rules are rewritten to call another one. */
export function withOwnPatterns(rule: string): string {
  return splitRule(rule)
    .map(({ isCode, text }) =>
      isCode ? text.replaceAll(call, (found) => found.replace('matches', 'matchesPattern')) : text,
    )
    .join('');
}

/** Throws the error text of the failed rule. */
export function matchesPattern(text: string, pattern: string): boolean {
  const outcome = patternMatches(pattern, text);
  if (typeof outcome === 'boolean') return outcome;
  throw new Error(outcome.fault);
}
