/** A file that does not parse is reported, because every other rule skips it. */
import type { Rule } from '../finding.ts';

export const parse: Rule = {
  id: 'parse',
  *check(tree) {
    for (const { path, syntaxError } of tree.files) {
      if (syntaxError === undefined) continue;
      const { line, reason } = syntaxError;
      yield {
        file: path,
        line,
        wrong: `does not parse: ${reason}`,
        remedy: 'Correct the syntax; no other rule sees this file until then',
      };
    }
  },
};
