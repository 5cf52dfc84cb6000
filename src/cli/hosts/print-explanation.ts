/** Prints an explanation as text. */
import { printable, wrapped } from './table.ts';
import type { Explanation } from './explanation.ts';

export function explanationText({ title, facts }: Explanation): string {
  const width = Math.max(...facts.map(([label]) => label.length));
  const lines = facts.map(([label, text]) => `  ${label.padEnd(width)}  ${wrapped(text, width + 4)}`);
  return [printable(title), ...lines, ''].join('\n');
}
