/**
 * Makes text of a host fit for messages: short, printable, without lines of the script and of stdin that the host repeats.
 * A script must not trace itself with `set -x`, because a trace rewrites the lines.
 */
import { stripVTControlCharacters } from 'node:util';

const lengthMax = 600;
/** A shorter line of a script, such as `fi`, tells nothing and would riddle every message. */
const scriptLineMin = 8;
/** A shorter line of stdin is no secret worth its name, and would match by chance. */
const stdinLineMin = 4;

/** What must not appear. `stdin` is known only where it is in memory as a whole. */
export interface Hidden {
  readonly script: string;
  readonly stdin: string;
}

/** One line; a long text loses its beginning, because the cause is named last. */
export function safeText(text: string, hidden?: Hidden): string {
  const clean = stripVTControlCharacters(text)
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/\p{C}/gu, '').trim())
    .filter((line) => line !== '')
    .join(' | ');
  const safe = hidden === undefined ? clean : withoutHidden(clean, hidden);
  return safe.length <= lengthMax ? safe : `…${safe.slice(1 - lengthMax)}`;
}

function withoutHidden(text: string, { script, stdin }: Hidden): string {
  const secrets = linesOf(stdin, stdinLineMin).map((line) => [line, '[stdin]'] as const);
  const lines = linesOf(script, scriptLineMin).map((line) => [line, '[script]'] as const);
  return [...secrets, ...lines].reduce((rest, [line, shown]) => rest.replaceAll(line, shown), text);
}

/** The longest first, so that no line leaves the rest of a longer line behind. */
function linesOf(text: string, lengthMin: number): readonly string[] {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return [...new Set(lines)]
    .filter((line) => line.length >= lengthMin)
    .toSorted((a, b) => b.length - a.length);
}
