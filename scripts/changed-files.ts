/**
 * The files that a branch changes: since its merge base with main, and uncommitted files. On a clean main, the files of
 * the last commit. A shallow clone has no history, so only uncommitted files count.
 */
import { spawnSync } from 'node:child_process';

/** Runs git and returns its output; undefined when git fails. */
export type Git = (args: readonly string[]) => string | undefined;

export function gitIn(folder: string): Git {
  return (args) => {
    const { status, stdout } = spawnSync('git', [...args], { cwd: folder, encoding: 'utf8' });
    return status === 0 ? stdout : undefined;
  };
}

/** The id of the checked-out commit; empty without git. */
export function commitId(git: Git): string {
  return git(['rev-parse', 'HEAD'])?.trim() ?? '';
}

/** Paths from the root of the repository, sorted, including deleted files. */
export function changedFiles(git: Git): readonly string[] {
  const uncommitted = [
    ...pathsIn(git(['diff', '--name-only', '--no-renames', '-z', 'HEAD'])),
    ...pathsIn(git(['ls-files', '--others', '--exclude-standard', '-z', '--full-name', ':/'])),
  ];
  const base = baseOf(git, uncommitted.length > 0);
  const committed =
    base === undefined ? [] : pathsIn(git(['diff', '--name-only', '--no-renames', '-z', base, 'HEAD']));
  return [...new Set([...committed, ...uncommitted])].toSorted();
}

const mainBranches = ['origin/main', 'main'];

function baseOf(git: Git, isDirty: boolean): string | undefined {
  const head = commitId(git);
  for (const branch of mainBranches) {
    const base = git(['merge-base', 'HEAD', branch])?.trim();
    if (base !== undefined && (base !== head || isDirty)) return base;
  }
  return git(['rev-parse', '--verify', '--quiet', 'HEAD^'])?.trim();
}

function pathsIn(output: string | undefined): readonly string[] {
  return (output ?? '').split('\0').filter((path) => path !== '');
}
