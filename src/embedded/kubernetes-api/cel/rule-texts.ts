/** Splits a CEL rule into code and into string literals and comments, in one pass: a rule may be a hundred kilobytes of quotes. */
export interface RulePart {
  readonly isCode: boolean;
  readonly text: string;
}

const openings = /\/\/|[rR]?(?:"""|'''|"|')/g;

export function splitRule(rule: string): readonly RulePart[] {
  const parts: RulePart[] = [];
  let at = 0;
  openings.lastIndex = 0;
  for (let found = openings.exec(rule); found !== null; found = openings.exec(rule)) {
    const end = endOfText(rule, found[0], openings.lastIndex);
    if (found.index > at) parts.push({ isCode: true, text: rule.slice(at, found.index) });
    parts.push({ isCode: false, text: rule.slice(found.index, end) });
    at = end;
    openings.lastIndex = end;
  }
  if (at < rule.length) parts.push({ isCode: true, text: rule.slice(at) });
  return parts;
}

/** An unclosed literal extends to the end of the rule, which then does not compile. */
function endOfText(rule: string, opening: string, from: number): number {
  if (opening === '//') return orEnd(rule, rule.indexOf('\n', from), 0);
  const isRaw = /^r/i.test(opening);
  const quote = isRaw ? opening.slice(1) : opening;
  if (isRaw) return orEnd(rule, rule.indexOf(quote, from), quote.length);
  for (let at = from; at < rule.length; at += 1) {
    if (rule[at] === '\\') at += 1;
    else if (rule.startsWith(quote, at)) return at + quote.length;
  }
  return rule.length;
}

function orEnd(rule: string, found: number, length: number): number {
  return found === -1 ? rule.length : found + length;
}
