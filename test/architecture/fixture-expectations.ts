/**
 * Reads what a fixture says must be found in it: a trailing `// expect: <rule>` on the line of the fault,
 * or a line `<file>:<line> <rule>` in expected.txt where no comment can stand.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder } from './tree.ts';

export const fixturesFolder = join(import.meta.dirname, 'fixtures');

/** Sorted lines of the form `<file>:<line> <rule>`. */
export function readExpectations(root: string): readonly string[] {
  const marked = filesUnder(root, '.').flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((text, index) => {
        const rule = /(?:\/\/|#|--) expect: (\S+)$/.exec(text)?.[1];
        return rule === undefined ? [] : [`${path.replace(/^\.\//, '')}:${index + 1} ${rule}`];
      }),
  );
  const list = join(root, 'expected.txt');
  const listed = existsSync(list) ? readFileSync(list, 'utf8').trimEnd().split('\n') : [];
  return [...marked, ...listed].toSorted();
}
