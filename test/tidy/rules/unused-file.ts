/** Every file has a user: another file names it, or it is an entry point. */
import type { Rule } from '../finding.ts';
import { isTest } from '../source-file.ts';
import type { Tree } from '../tree.ts';

const entryPoints = [
  /^src\/bin\/[^/]+$/,
  /^scripts\/[^/]+\.ts$/,
  /\.config\.ts$/,
  /\.setup\.ts$/,
  /^test\/tidy\/cli\.ts$/,
  /^test\/real\/cli\.ts$/,
];

export const unusedFile: Rule = {
  id: 'unused-file',
  *check(tree) {
    const used = usedFiles(tree);
    for (const { path } of tree.files) {
      if (!/^(src|test|scripts)\/.*\.ts$/.test(path) || isTest(path) || used.has(path)) continue;
      if (entryPoints.some((pattern) => pattern.test(path)) || isNamedInScripts(tree, path)) continue;
      const remedy =
        "Delete it or import it; a file that is started as a process is named with new URL('./name.ts', import.meta.url)";
      yield { file: path, line: 1, wrong: 'is used by no other file', remedy };
    }
  },
};

function usedFiles(tree: Tree): ReadonlySet<string> {
  return new Set(
    tree.files.flatMap((file) =>
      tree
        .referencesOf(file)
        .flatMap(({ target }) => (target === undefined || target === file.path ? [] : [target])),
    ),
  );
}

function isNamedInScripts(tree: Tree, path: string): boolean {
  return tree.npmScripts.some((command) =>
    command.split(/[\s'"]+/).some((word) => word.replace(/^\.\//, '') === path),
  );
}
