/**
 * Time, randomness and timers come in through ports, so that a simulated run can be replayed exactly.
 * Only the composition roots in src/bin, the harness of tests and tests may touch the real ones.
 */
import type { Rule } from '../finding.ts';
import { findGlobalUses, isBanned } from '../global-use.ts';
import { isTest } from '../source-file.ts';
import { mustBePure, timeAndChance } from '../time-and-chance.ts';

export const ports: Rule = {
  id: 'ports',
  *check(tree) {
    for (const file of tree.files.filter(({ path }) => needsPorts(path))) {
      for (const { line, form } of findGlobalUses(file).filter((use) => isBanned(use, timeAndChance))) {
        const remedy = 'Take a clock, a random source or a timer as an argument; src/bin passes the real one';
        yield { file: file.path, line, wrong: `uses ${form} itself`, remedy };
      }
    }
  },
};

/** Pure files answer to the rule `purity`, which forbids the same and more, with other advice. */
function needsPorts(path: string): boolean {
  return (
    /^(src|lab)\//.test(path) &&
    !/^(src\/bin|lab\/harness)\//.test(path) &&
    !isTest(path) &&
    !mustBePure(path)
  );
}
