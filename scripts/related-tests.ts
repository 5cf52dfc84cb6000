/** The test files that a change can break: they import a changed file directly or transitively, nearest first. */
import { isTest } from '../test/architecture/source-file.ts';
import type { Tree } from '../test/architecture/tree.ts';
import { exclusiveTests } from './exclusive-tests.ts';
import type { TestTimes } from './test-times.ts';

export interface RelatedTest {
  readonly path: string;
  /** The number of imports between the test and a changed file; 0 for a changed test. */
  readonly distance: number;
}

/** Test files that need neither reference programs nor the whole machine. */
function isUnitTest(path: string): boolean {
  return isTest(path) && !path.endsWith('.integration.test.ts') && !exclusiveTests.includes(path);
}

/** Computed paths are not followed. */
export function relatedTests(tree: Tree, changed: readonly string[]): readonly RelatedTest[] {
  const importers = importersIn(tree);
  const distances = new Map(changed.map((path) => [path, 0]));
  // Map iteration includes entries added meanwhile, in insertion order: nearest first.
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

/** The assumed duration of a file without a measurement. */
const unknownSeconds = 2;

/** As many files as fit into the time, nearest first, then quickest first. Changed tests are always chosen. */
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
