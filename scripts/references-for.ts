/**
 * The reference programs that a run needs: the groups in `describeIntegration` of the chosen test files. A file that
 * calls it without a readable group needs all programs.
 */
import { readFileSync } from 'node:fs';
import { groupsNeeded } from '../test/reference/bring-up.ts';
import { groupNames, programs, type GroupName, type ReferenceProgram } from '../test/reference/programs.ts';

/** `by: 'kube'`, `by: ['kube', 'helm']`, and the same in a constant: `by = […]`. */
const groupsOf = /\bby\s*[:=]\s*(?<groups>\[[^\]]*\]|'[^']*'|\w+)/g;

export function groupsIn(source: string): readonly GroupName[] {
  if (!source.includes('describeIntegration')) return [];
  const found = [...source.matchAll(groupsOf)].map(({ groups }) => groups?.['groups'] ?? '');
  const words = found.flatMap((text) => (/^\w+$/.test(text) ? [text] : literalsIn(text)));
  const isKnown = words.length > 0 && words.every((word) => groupNames.some((name) => name === word));
  return isKnown ? groupNames.filter((name) => words.includes(name)) : groupNames;
}

export function programsFor(files: readonly string[]): readonly ReferenceProgram[] {
  const named = new Set(files.flatMap((file) => groupsIn(readFileSync(file, 'utf8'))));
  const needed = new Set([...named].flatMap((group) => groupsNeeded[group]));
  return programs.filter(({ group }) => needed.has(group));
}

function literalsIn(text: string): readonly string[] {
  return [...text.matchAll(/'(?<word>[^']*)'/g)].map(({ groups }) => groups?.['word'] ?? '');
}
