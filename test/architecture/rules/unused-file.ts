/**
 * Every file is used: another file names it, or the file is an entry point. For code under src, a test does not count.
 */
import type { Rule } from '../finding.ts';
import { isTest } from '../source-file.ts';
import type { Tree } from '../tree.ts';

const entryPoints = [
  /^src\/bin\/[^/]+$/,
  /^scripts\/[^/]+\.ts$/,
  /\.config\.ts$/,
  /\.setup\.ts$/,
  /^test\/architecture\/cli\.ts$/,
  /^test\/reference\/cli\.ts$/,
];

export const unusedFile: Rule = {
  id: 'unused-file',
  *check(tree) {
    const users = usersByFile(tree);
    for (const { path: file } of tree.files) {
      if (!/^(src|lab|test|scripts)\/.*\.ts$/.test(file) || isTest(file) || isEntryPoint(tree, file))
        continue;
      const named = users.get(file) ?? [];
      if (named.length === 0) {
        const remedy =
          "Delete it or import it; a file that is started as a process is named with new URL('./name.ts', import.meta.url)";
        yield { file, line: 1, wrong: 'is used by no other file', remedy };
      } else if (needsLiveUser(file) && named.every(servesTests)) {
        const remedy = 'Delete it, or move it beside the tests, into test';
        yield { file, line: 1, wrong: 'is used only by tests', remedy };
      }
    }
  },
};

/** Maps each file to the other files that name it. */
function usersByFile(tree: Tree): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const file of tree.files) {
    for (const { target } of tree.referencesOf(file)) {
      if (target === undefined || target === file.path) continue;
      users.set(target, [...(users.get(target) ?? []), file.path]);
    }
  }
  return users;
}

/**
 * Shared foundations may exist before their first user: the vocabulary, the controller runtime, the API objects, and the
 * parts of the bootstrap until its controller exists.
 */
const foundations = ['src/api/', 'src/platform/', 'src/kube/', 'src/hosts/provider/', 'src/hosts/bootstrap/'];

function needsLiveUser(path: string): boolean {
  const isFoundation = foundations.some((folder) => path.startsWith(folder));
  return path.startsWith('src/') && !isFoundation && !servesTests(path);
}

/** The lab serves tests and demonstrations; only its command line makes it reachable for users. */
function servesTests(path: string): boolean {
  return isTest(path) || /^test\/|^lab\/(contracts|harness)\/|\.setup\.ts$/.test(path);
}

function isEntryPoint(tree: Tree, path: string): boolean {
  return entryPoints.some((pattern) => pattern.test(path)) || isNamedInScripts(tree, path);
}

function isNamedInScripts(tree: Tree, path: string): boolean {
  return tree.npmScripts.some((command) =>
    command.split(/[\s'"]+/).some((word) => word.replace(/^\.\//, '') === path),
  );
}
