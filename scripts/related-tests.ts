/** Which test files a change can break: those that import a changed file, directly or through others, nearest first. */
import { isTest } from '../test/architecture/source-file.ts';
import type { Tree } from '../test/architecture/tree.ts';
import { exclusiveTests } from './exclusive-tests.ts';
import type { TestTimes } from './test-times.ts';

export interface RelatedTest {
  readonly path: string;
  /** Steps of import from a changed file; 0 for a test that was changed itself. */
  readonly distance: number;
}

/** Test files that need no reference program, and not the whole machine. */
function isUnitTest(path: string): boolean {
  return isTest(path) && !path.endsWith('.integration.test.ts') && !exclusiveTests.includes(path);
}

/** Files that are read or started by a path that is computed are not followed. */
export function relatedTests(tree: Tree, changed: readonly string[]): readonly RelatedTest[] {
  const importers = importersIn(tree);
  const distances = new Map(changed.map((path) => [path, 0]));
  // A map gives its entries in the order of insertion, also those that are added meanwhile: nearest first.
  for (const [path, distance] of distances) {
    for (const importer of importers.get(path) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  const present = new Set(tree.files.map(({ path }) => path));
  return [...distances]
    .filter(([path]) => isUnitTest(path) && present.has(path))
    .map(([path, distance]) => ({ path, distance }));
}

function importersIn(tree: Tree): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of tree.files) {
    for (const { target } of tree.referencesOf(file)) {
      if (target === undefined) continue;
      importers.set(target, [...(importers.get(target) ?? []), file.path]);
    }
  }
  return importers;
}

export interface Choice {
  readonly chosen: readonly string[];
  readonly leftOut: readonly string[];
}

/** A file that was never measured counts as this. */
const unknownSeconds = 2;

/** As many as fit into the seconds, nearest first and quickest first among those; changed tests are always chosen. */
export function chooseTests(
  tests: readonly RelatedTest[],
  { times, seconds }: { readonly times: TestTimes; readonly seconds: number },
): Choice {
  const costOf = ({ path }: RelatedTest): number => times[path] ?? unknownSeconds;
  const ordered = tests.toSorted((a, b) => a.distance - b.distance || costOf(a) - costOf(b));
  const [chosen, leftOut]: [string[], string[]] = [[], []];
  let spent = 0;
  for (const test of ordered) {
    const fits = test.distance === 0 || spent + costOf(test) <= seconds;
    if (fits) spent += costOf(test);
    (fits ? chosen : leftOut).push(test.path);
  }
  return { chosen, leftOut };
}
