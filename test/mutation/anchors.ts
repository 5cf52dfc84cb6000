/** Finds the anchors of mutants, so that no table names a file: code may move and be renamed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const anchorPattern = /\/\/ mutation: ([a-z0-9-]+)$/gm;

/** Maps each id to the product files with the anchor, one entry per occurrence. */
export function findAnchors(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of productFiles()) {
    for (const [, id = ''] of readFileSync(file, 'utf8').matchAll(anchorPattern)) {
      found.set(id, [...(found.get(id) ?? []), file]);
    }
  }
  return found;
}

function productFiles(): readonly string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .toSorted()
    .map((path) => join(root, 'src', path));
}
