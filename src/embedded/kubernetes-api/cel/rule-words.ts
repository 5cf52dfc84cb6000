/** Errors of a rule independent of values: invalid patterns and unknown field paths. */
import { patternSyntaxFault } from '../schema/pattern.ts';
import { additionalOf, propertyOf, type JsonSchema } from '../schema/structural-schema.ts';
import { splitRule } from './rule-texts.ts';

const beforePattern = /\.\s*matches\s*\(\s*$/;
const afterPattern = /^\s*\)/;

/** Whether a rule calls `matches` with an invalid pattern, and would fail for every object. */
export function hasBrokenPattern(rule: string): boolean {
  const parts = splitRule(rule);
  return parts.some(({ isCode, text }, index) => {
    const [before, after] = [parts[index - 1], parts[index + 1]];
    if (isCode || before?.isCode !== true || !beforePattern.test(before.text)) return false;
    if (after?.isCode !== true || !afterPattern.test(after.text)) return false;
    const pattern = literalIn(text);
    return pattern !== undefined && patternSyntaxFault(pattern) !== undefined;
  });
}

/** The value of a literal in one pair of quotes; undefined for escapes beyond a quoted character. */
function literalIn(text: string): string | undefined {
  const [, raw = '', , inside = ''] = /^([rR]?)(["'])([^]*)\2$/.exec(text) ?? [];
  if (raw !== '' || !inside.includes('\\')) return inside;
  if (/\\[^\\"'`?]/.test(inside.replaceAll('\\\\', ''))) return undefined;
  return inside.replaceAll(/\\([^])/g, '$1');
}

const segment = /^(?:\.([A-Za-z_][\w-]*)|\['([^']+)'\])/;

/** Whether a path leads to a field below a schema. Lists have no paths. */
export function isFieldPath(path: string, schema: JsonSchema): boolean {
  let part: JsonSchema | undefined = schema;
  for (let rest = path; rest !== '';) {
    const [found, name, key = ''] = segment.exec(rest) ?? [];
    if (found === undefined || part === undefined) return false;
    part = propertyOf(part, name ?? key) ?? additionalOf(part);
    if (part === undefined) return false;
    rest = rest.slice(found.length);
  }
  return path !== '';
}
