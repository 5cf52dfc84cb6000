/**
 * Parses JSON without losing digits: ids of GitHub exceed a safe integer, and two ids that differ in the last digit are
 * two jobs. A number that is no safe integer becomes its source text.
 */
const depthMax = 64;

export class UnreadableJson extends Error {}

export function parseLossless(text: string): unknown {
  if (depthOf(text) > depthMax)
    throw new UnreadableJson(`the JSON is nested more than ${depthMax} levels deep`);
  try {
    return JSON.parse(text, exact);
  } catch (error) {
    throw new UnreadableJson('the text is not JSON', { cause: error });
  }
}

function exact(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== 'number') return value;
  // `-0` is a safe integer, but as text it becomes `0`, another id than the one sent.
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : source;
}

/** Counted before parsing: a recursive parser may run out of stack at ten thousand levels. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (isInString) {
      if (char === '\\') index += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, (depth += 1));
    else if (char === '}' || char === ']') depth -= 1;
  }
  return deepest;
}
