/** Compares generated files with the disk, and updates the disk. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Stale {
  readonly path: string;
  readonly how: 'missing' | 'changed' | 'left over';
}

export interface Generated {
  readonly files: ReadonlyMap<string, string>;
  /** Folders that may contain only `files`. */
  readonly folders: readonly string[];
}

/** Sorted by path. */
export function staleFiles(root: string, { files, folders }: Generated): readonly Stale[] {
  const outdated = [...files].flatMap(([path, wanted]): Stale[] => {
    const found = textOf(join(root, path));
    if (found === undefined) return [{ path, how: 'missing' }];
    return found === wanted ? [] : [{ path, how: 'changed' }];
  });
  const leftOver = folders
    .flatMap((folder) => filesIn(root, folder))
    .filter((path) => !files.has(path))
    .map((path): Stale => ({ path, how: 'left over' }));
  return [...outdated, ...leftOver].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the changes. */
export function refresh(root: string, generated: Generated): readonly Stale[] {
  const stale = staleFiles(root, generated);
  for (const { path } of stale) {
    const content = generated.files.get(path);
    if (content === undefined) rmSync(join(root, path));
    else write(join(root, path), content);
  }
  return stale;
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function textOf(path: string): string | undefined {
  return ifThere(() => readFileSync(path, 'utf8'));
}

function filesIn(root: string, folder: string): readonly string[] {
  const entries =
    ifThere(() => readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) ?? [];
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length));
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
