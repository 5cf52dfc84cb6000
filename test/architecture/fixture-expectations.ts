/**
 * Reads the expected findings of a fixture: a trailing `// expect: <rule>` on the faulty line, or a line `<file>:<line>
 * <rule>` in expected.txt where a comment is impossible.
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
