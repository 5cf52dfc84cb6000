/**
 * Time, randomness and timers come through ports, so that a simulated run can be replayed exactly. Only the composition
 * roots in src/bin, test harnesses and tests may use the real ones.
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

/** Pure files are checked by the rule `purity`, which forbids the same and more, with another remedy. */
function needsPorts(path: string): boolean {
  return (
    /^(src|lab)\//.test(path) &&
    !/^(src\/bin|lab\/harness)\//.test(path) &&
    !isTest(path) &&
    !mustBePure(path)
  );
}
