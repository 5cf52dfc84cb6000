/** Keys that a JSON text gives twice in one object. A parser keeps the last one and says nothing. */

const stringOrBracket = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

interface Level {
  readonly path: string;
  /** Undefined inside an array. */
  readonly keys: Set<string> | undefined;
  index: number;
  /** The key whose value comes next. */
  key: string | undefined;
}

/** Dotted paths, in the order of the text, which must be valid JSON. */
export function duplicateKeys(text: string): readonly string[] {
  const found: string[] = [];
  const levels: Level[] = [];
  for (const [token] of text.matchAll(stringOrBracket)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[')
      levels.push({
        path: pathBelow(level),
        keys: token === '{' ? new Set() : undefined,
        index: 0,
        key: undefined,
      });
    else if (token === '}' || token === ']') levels.pop();
    else if (level !== undefined) step(level, token, found);
  }
  return found;
}

function step(level: Level, token: string, found: string[]): void {
  if (token === ',') {
    level.index += 1;
    level.key = undefined;
  } else if (token !== ':' && level.keys !== undefined && level.key === undefined) {
    level.key = String(JSON.parse(token));
    if (level.keys.has(level.key)) found.push(pathBelow(level));
    level.keys.add(level.key);
  }
}

function pathBelow(level: Level | undefined): string {
  if (level === undefined) return '';
  if (level.keys === undefined) return `${level.path}[${level.index}]`;
  return level.path === '' ? (level.key ?? '') : `${level.path}.${level.key ?? ''}`;
}
