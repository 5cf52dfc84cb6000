/**
 * Reads a project from disk: its code folders and the configuration files at its root.
 * Every rule works on this one value, so any folder with the layout of the project can be checked.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { findReferences } from './reference.ts';
import type { Reference } from './reference.ts';
import { isModule, readSourceFile } from './source-file.ts';
import type { SourceFile } from './source-file.ts';

export interface Tree {
  readonly root: string;
  /** Code that can be read line by line: modules, shell scripts, SQL. */
  readonly files: readonly SourceFile[];
  readonly referencesOf: (file: SourceFile) => readonly Reference[];
  /** The commands under "scripts" in package.json. */
  readonly npmScripts: readonly string[];
}

/** The folders of a tree that are read, beside the configuration files at its root. */
export const codeFolders = ['src', 'lab', 'test', 'scripts', 'bench', 'dashboard'];
const skippedFolders = new Set(['node_modules', 'dist']);
const fixtures = 'test/architecture/fixtures';
const otherCode = new Set(['.sh', '.sql']);

export function readTree(root: string): Tree {
  const paths = [...configFiles(root), ...codeFolders.flatMap((folder) => filesUnder(root, folder))];
  const files = paths.filter((path) => isCode(root, path)).map((path) => readSourceFile(root, path));
  const isFile = (path: string): boolean =>
    statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
  const references = new Map(files.map((file) => [file, findReferences(file, isFile)]));
  return {
    root,
    files,
    referencesOf: (file) => references.get(file) ?? [],
    npmScripts: readNpmScripts(root),
  };
}

function configFiles(root: string): readonly string[] {
  return readdirSync(root).filter((name) => name.endsWith('.config.ts'));
}

/** Every file under `folder`, as paths from the root. */
export function filesUnder(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return isSkipped(entry.name, path) ? [] : filesUnder(root, path);
  });
}

function isSkipped(name: string, path: string): boolean {
  return skippedFolders.has(name) || name.startsWith('.') || path === fixtures;
}

/** The programs under src/guest may be shell scripts without a suffix. */
function isCode(root: string, path: string): boolean {
  if (isModule(path) || otherCode.has(extname(path))) return true;
  return (
    path.startsWith('src/') && extname(path) === '' && readFileSync(join(root, path), 'utf8').startsWith('#!')
  );
}

function readNpmScripts(root: string): readonly string[] {
  const path = join(root, 'package.json');
  if (!existsSync(path)) return [];
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof content !== 'object' || content === null || !('scripts' in content)) return [];
  return Object.values(content.scripts ?? {}).filter((command) => typeof command === 'string');
}
