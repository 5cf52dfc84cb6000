/** `npm run guards`: takes each guard out in turn, or those whose name holds a word that is given, and prints what noticed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Guard } from './guard.ts';
import { guards } from './guards.ts';
import { takeOut, wrongWith } from './take-out.ts';

const cache = mkdtempSync(join(tmpdir(), 'muster-guards-'));
const words = process.argv.slice(2);
const chosen = guards.filter(
  ({ id, story }) => words.length === 0 || words.some((word) => id.includes(word) || story === word),
);
const widths = [
  Math.max(...chosen.map(({ id }) => id.length)),
  Math.max(...chosen.map(({ story }) => story.length)),
] as const;

async function tryOne(guard: Guard): Promise<boolean> {
  const began = Date.now();
  const violation = await takeOut(guard, cache);
  const wrong = wrongWith(guard, violation);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  const found = wrong === undefined ? `${violation?.id}: ${violation?.message}` : `NOT AS SAID: ${wrong}`;
  console.log(
    `${guard.id.padEnd(widths[0])}  ${guard.story.padEnd(widths[1])}  ${seconds.padStart(5)} s  ${found}`,
  );
  return wrong === undefined;
}

const results: boolean[] = [];
try {
  for (const guard of chosen) results.push(await tryOne(guard));
} finally {
  rmSync(cache, { recursive: true, force: true });
}
const missed = results.filter((isGood) => !isGood).length;
console.log(`${chosen.length} guards, ${missed} not noticed as the table says`);
process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1;
