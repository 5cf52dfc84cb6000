/** `npm run mutation`: runs each mutant, or those whose id or story contains a given word, and prints the violation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { mismatch, runMutant } from './run-mutant.ts';

const cache = mkdtempSync(join(tmpdir(), 'muster-mutants-'));
const words = process.argv.slice(2);
const chosen = mutants.filter(
  ({ id, story }) => words.length === 0 || words.some((word) => id.includes(word) || story === word),
);
const widths = [
  Math.max(...chosen.map(({ id }) => id.length)),
  Math.max(...chosen.map(({ story }) => story.length)),
] as const;

async function tryOne(mutant: Mutant): Promise<boolean> {
  const began = Date.now();
  const violation = await runMutant(mutant, cache);
  const wrong = mismatch(mutant, violation);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  const found = wrong === undefined ? `${violation?.id}: ${violation?.message}` : `MISMATCH: ${wrong}`;
  console.log(
    `${mutant.id.padEnd(widths[0])}  ${mutant.story.padEnd(widths[1])}  ${seconds.padStart(5)} s  ${found}`,
  );
  return wrong === undefined;
}

const results: boolean[] = [];
try {
  for (const mutant of chosen) results.push(await tryOne(mutant));
} finally {
  rmSync(cache, { recursive: true, force: true });
}
const missed = results.filter((isGood) => !isGood).length;
console.log(`${chosen.length} mutants, ${missed} with another result than the table names`);
process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1;
