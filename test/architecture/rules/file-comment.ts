/** A file under src or lab begins with its purpose; only a shebang may come first. */
import { extname } from 'node:path';
import type { Rule } from '../finding.ts';
import { isModule, isTest } from '../source-file.ts';

export const fileComment: Rule = {
  id: 'file-comment',
  *check(tree) {
    for (const { path, text } of tree.files) {
      if (!/^(src|lab)\//.test(path) || isTest(path) || opensWithComment(path, text)) continue;
      const line = text.startsWith('#!') ? 2 : 1;
      const remedy = 'Add a comment on top: what the file is for and what it guarantees';
      yield { file: path, line, wrong: 'does not open with a comment', remedy };
    }
  },
};

function opensWithComment(path: string, text: string): boolean {
  const opening = text.replace(/^#!.*\n/, '').trimStart();
  const [comment = ''] = commentOf(path).exec(opening) ?? [];
  return /[a-z]/i.test(comment) && !isOrder(comment);
}

function commentOf(path: string): RegExp {
  if (isModule(path)) return /^(\/\*[^]*?\*\/|(\/\/.*\n?)+)/;
  return extname(path) === '.sql' ? /^(--.*\n?)+/ : /^(#.*\n?)+/;
}

/** Instructions to a tool are no comment for a reader. */
function isOrder(comment: string): boolean {
  return /^[\s*/]*(@ts-|oxlint-|eslint-|<reference)/.test(comment);
}
