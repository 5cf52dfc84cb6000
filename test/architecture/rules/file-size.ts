/** A file stays short enough to be read in one sitting. Tests are exempt. */
import type { Rule } from '../finding.ts';
import { isTest } from '../source-file.ts';

const linesMax = 300;

export const fileSize: Rule = {
  id: 'file-size',
  *check(tree) {
    for (const { path, lineCount } of tree.files) {
      if (isTest(path) || lineCount <= linesMax) continue;
      const wrong = `has ${lineCount} lines, more than ${linesMax}`;
      yield { file: path, line: linesMax + 1, wrong, remedy: 'Split it by idea, one main export per file' };
    }
  },
};
